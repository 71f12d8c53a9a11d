import { createFal } from '../../src/providers/fal/create-fal.js';
import { aRequest } from './support/a-request.js';
import { describeQueueFaults } from './support/describe-queue-faults.js';
import { PATIENT } from './support/follow-through.js';
import { upstreamAt } from './support/upstream-at.js';

const ID = 'r-1';
const pace = { ...PATIENT, followMs: 50 };

describeQueueFaults({
  name: 'fal',
  stages: ['submit', 'status', 'result', 'download'],
  create: (url, callMs) =>
    createFal({ upstream: upstreamAt('fal', url) }, { submitTimeoutMs: callMs, callTimeoutMs: callMs, pace }),
  request: aRequest({ model: 'fal-ai/nano-banana', slots: [0, 1] }),
  job: { id: ID, handle: null },
  getStage: (method, path) => {
    if (method === 'POST') {
      return 'submit';
    }
    if (path.endsWith('.png')) {
      return 'download';
    }
    return path.includes('/status') ? 'status' : 'result';
  },
  goodAnswer: (stage, url) =>
    ({
      submit: { request_id: ID },
      status: { status: 'COMPLETED' },
      result: { images: [{ url: `${url}/a.png` }, { url: `${url}/b.png` }] },
      download: Buffer.from('an image'),
    })[stage],
});
