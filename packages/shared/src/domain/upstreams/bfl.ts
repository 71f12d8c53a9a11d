import type { ProtocolRoute, RouteFault, UpstreamDescription } from './protocol.js';
import { ACCEPTS_NOTHING, MAX_SEED } from './route-accepts.js';

const MAX_INPUTS = 8;

function checkInputs({ types, maxInputs }: ProtocolRoute): readonly RouteFault[] {
  return types.includes('image_edit') && maxInputs > MAX_INPUTS
    ? [
        {
          field: 'max_inputs',
          message: `FLUX takes at most ${MAX_INPUTS} input images; say max_inputs: ${MAX_INPUTS}, or what the model takes`,
        },
      ]
    : [];
}

/** API of Black Forest Labs, the maker of FLUX. */
export const bfl = {
  envPrefix: null,
  baseUrl: null,
  apiPath: '/v1',
  // Results lie with the region that drew them.
  resultHosts: ['*.bfl.ai', '*.blob.core.windows.net'],
  authorize: (secret) => ({ 'x-key': secret }),
  maxImagesPerCall: 1,
  checkPath: '/credits',
  keysAt: 'https://dashboard.bfl.ai',
  checkRoute: checkInputs,
  // github.com/black-forest-labs/skills, endpoints.md (November 2026).
  accepts: () => ({ ...ACCEPTS_NOTHING, seed: MAX_SEED, outputFormat: ['png', 'jpeg'] }),
  sends: () => ['seed', 'outputFormat'],
  switchesRewriting: true,
  defaultQuality: null,
} as const satisfies UpstreamDescription;
