import type { CallRow } from '@image-gateway/shared/db';
import type { Candidate, ImageProvider } from '../../src/providers/port.js';
import type { Availability } from '../../src/routing/create-health.js';

const provider = (name: string): ImageProvider => ({
  name,
  upstream: true,
  asynchronous: false,
  generate: () => {
    throw new Error('not called here');
  },
});
/** A candidate that nobody asks. */
export const candidate = (
  name: string,
  more: { perCall?: number; key?: string; model?: string } = {},
): Candidate => ({
  provider: provider(name),
  takesResolution: true,
  options: {},
  maxImagesPerCall: more.perCall ?? 4,
  concurrency: 16,
  model: more.model ?? 'm',
  key: more.key === undefined ? null : { fingerprint: more.key, secret: 'x' },
  listCostMicros: 10n,
});
/** Nothing stands against asking. */
export const ready: Availability = { kind: 'ready', last: false };
/** Input that most plans have in common. */
export const base = {
  attempt: 1,
  calls: [],
  ambiguousRetries: 0,
  maxUpstreamCostMicros: null,
  getAvailability: (): Availability => ready,
};
/** A call that has failed, unless told otherwise. */
export const call = (more: Partial<CallRow>): CallRow => ({
  id: 'c',
  attempt: 1,
  provider: 'a',
  model: 'm',
  slots: [0],
  requestId: null,
  jobHandle: null,
  createdAt: new Date(),
  keyFingerprint: null,
  state: 'failed',
  detail: 'overload',
  costMicros: 0n,
  ...more,
});
