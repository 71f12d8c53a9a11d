import { createComfyui } from '../../src/providers/comfyui/create-comfyui.js';
import { aRequest } from './support/a-request.js';
import { describeQueueFaults } from './support/describe-queue-faults.js';
import { PATIENT } from './support/follow-through.js';
import { upstreamAt } from './support/upstream-at.js';

const ID = 'p-1';
const pace = { ...PATIENT, followMs: 50 };
const workflow = { 6: { class_type: 'CLIPTextEncode', inputs: { text: '{{prompt}}' } } };
const file = (filename: string) => ({ filename, subfolder: '', type: 'output' });

describeQueueFaults({
  name: 'ComfyUI',
  stages: ['submit', 'status', 'download'],
  create: (url, callMs) =>
    createComfyui(
      { upstream: upstreamAt('comfyui', url) },
      { submitTimeoutMs: callMs, uploadTimeoutMs: callMs, callTimeoutMs: callMs, pace },
    ),
  request: aRequest({ model: 'a-model', options: { workflow }, slots: [0, 1] }),
  job: { id: ID, handle: null },
  getStage: (method, path) => {
    if (method === 'POST') {
      return 'submit';
    }
    return path.startsWith('/view') ? 'download' : 'status';
  },
  goodAnswer: (stage) => {
    if (stage === 'download') {
      return Buffer.from('an image');
    }
    if (stage === 'submit') {
      return { prompt_id: ID, number: 1, node_errors: {} };
    }
    const outputs = { 9: { images: [file('a.png'), file('b.png')] } };
    return { [ID]: { outputs, status: { status_str: 'success', completed: true, messages: [] } } };
  },
});
