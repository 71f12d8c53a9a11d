import { NO_CAPABILITIES } from './capabilities.js';
import { bearer, type UpstreamDescription } from './protocol.js';
import { checkTaskRoute, listSendable } from './task-api.js';

/** APIs for asynchronous tasks, such as those of resellers and other gateways; a document describes each of them. */
export const task = {
  envPrefix: null,
  baseUrl: null,
  apiPath: '',
  // Results lie wherever the vendor stores them; nothing but the download goes there.
  resultHosts: ['*'],
  authorize: bearer,
  maxImagesPerCall: 4,
  // The poll of a job that does not exist, which `configureInstance` knows.
  checkPath: '/',
  // Some answer with status 200 and say so in the body.
  isRefusal: (_status, body) => /"code":\s*"?40[13]\b/.test(body.subarray(0, 4_096).toString('latin1')),
  keysAt: 'the dashboard of the vendor',
  checkRoute: checkTaskRoute,
  // The document says what a body takes.
  accepts: () => NO_CAPABILITIES,
  sends: listSendable,
  defaultQuality: null,
} as const satisfies UpstreamDescription;
