import { createOpenRouter } from '../../src/providers/openrouter/create-openrouter.js';
import { aRequest } from './support/a-request.js';
import { describeSyncFaults } from './support/describe-sync-faults.js';
import { upstreamAt } from './support/upstream-at.js';

describeSyncFaults({
  name: 'openrouter',
  create: (url, timeoutMs) => createOpenRouter({ upstream: upstreamAt('openrouter', url) }, { timeoutMs }),
  request: aRequest({ slots: [3] }),
  answerWith: (data) => ({ data: [{ b64_json: data }] }),
});
