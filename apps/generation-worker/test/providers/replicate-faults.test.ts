import { createReplicate } from '../../src/providers/replicate/create-replicate.js';
import { aRequest } from './support/a-request.js';
import { describeQueueFaults } from './support/describe-queue-faults.js';
import { PATIENT } from './support/follow-through.js';
import { upstreamAt } from './support/upstream-at.js';

const ID = 'p-1';
const pace = { ...PATIENT, followMs: 50 };

describeQueueFaults({
  name: 'Replicate',
  stages: ['submit', 'status', 'download'],
  create: (url, callMs) =>
    createReplicate(
      { upstream: upstreamAt('replicate', url) },
      { submitTimeoutMs: callMs, uploadTimeoutMs: callMs, callTimeoutMs: callMs, pace },
    ),
  request: aRequest({ model: 'google/nano-banana', slots: [0, 1] }),
  job: { id: ID, handle: null },
  getStage: (method, path) => {
    if (method === 'POST') {
      return 'submit';
    }
    return path.endsWith('.png') ? 'download' : 'status';
  },
  goodAnswer: (stage, url) => {
    if (stage === 'download') {
      return Buffer.from('an image');
    }
    if (stage === 'submit') {
      return { id: ID, status: 'starting' };
    }
    return { id: ID, status: 'succeeded', output: [`${url}/a.png`, `${url}/b.png`] };
  },
});
