import { NO_CAPABILITIES } from './capabilities.js';
import { checkImageField } from './image-field.js';
import { listGoogleResolutions, type UpstreamDescription } from './protocol.js';

/** Queue API of fal.ai. */
export const fal = {
  envPrefix: 'FAL',
  baseUrl: 'https://queue.fal.run',
  apiPath: '',
  resultHosts: ['fal.media', '*.fal.media'],
  authorize: (secret) => ({ authorization: `Key ${secret}` }),
  maxImagesPerCall: 4,
  // No such request exists: every valid key gets 404.
  checkPath: '/fal-ai/nano-banana/requests/00000000-0000-0000-0000-000000000000/status',
  checksMissingJob: true,
  keysAt: 'https://fal.ai/dashboard/keys',
  checkRoute: checkImageField,
  listResolutions: listGoogleResolutions,
  // Each model has fields of its own, and unknown ones are ignored without a word.
  accepts: () => NO_CAPABILITIES,
  switchesRewriting: true,
  defaultQuality: null,
} as const satisfies UpstreamDescription;
