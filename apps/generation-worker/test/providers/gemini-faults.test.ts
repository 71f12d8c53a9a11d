import { createGemini } from '../../src/providers/gemini/create-gemini.js';
import { aRequest } from './support/a-request.js';
import { describeSyncFaults } from './support/describe-sync-faults.js';
import { upstreamAt } from './support/upstream-at.js';

describeSyncFaults({
  name: 'gemini',
  create: (url, timeoutMs) =>
    createGemini({ upstream: upstreamAt('gemini', url) }, { timeoutMs, largeTimeoutMs: timeoutMs }),
  request: aRequest({ slots: [3] }),
  answerWith: (data) => ({ candidates: [{ content: { parts: [{ inlineData: { data } }] } }] }),
});
