import {
  BACKGROUNDS,
  type Background,
  OUTPUT_FORMATS,
  type OutputFormat,
  QUALITIES,
  type Quality,
} from '../contract/index.js';

/** Optional fields of a request that a route hands to its upstream. */
export interface RouteAccepts {
  readonly quality: readonly Quality[];
  /** Greatest seed; null: none is taken. */
  readonly seed: number | null;
  readonly outputFormat: readonly OutputFormat[];
  /** Has `opaque` unless the options of the route fix another value: upstreams draw that without being asked. */
  readonly background: readonly Background[];
  readonly mask: boolean;
  /** In a field of its own; adapters fold it into the prompt otherwise. */
  readonly negativePrompt: boolean;
  readonly outputCompression: boolean;
  readonly moderation: boolean;
  readonly inputFidelity: boolean;
  readonly style: boolean;
}

/** Greatest seed of a request. */
export const MAX_SEED = 4_294_967_295;

/** Lists the fields that a route takes. */
export function listFields(accepts: RouteAccepts): (keyof RouteAccepts)[] {
  const isTaken = (name: keyof RouteAccepts): boolean => {
    const value = accepts[name];
    return Array.isArray(value) ? value.some((one) => one !== 'opaque') : value !== false && value !== null;
  };
  return (Object.keys(accepts) as (keyof RouteAccepts)[]).filter(isTaken);
}

/** Fields of a route that takes none. */
export const ACCEPTS_NOTHING: RouteAccepts = {
  quality: [],
  seed: null,
  outputFormat: [],
  background: ['opaque'],
  mask: false,
  negativePrompt: false,
  outputCompression: false,
  moderation: false,
  inputFidelity: false,
  style: false,
};

/** Fields of a route that takes all. */
export const ACCEPTS_EVERYTHING: RouteAccepts = {
  quality: QUALITIES,
  seed: MAX_SEED,
  outputFormat: OUTPUT_FORMATS,
  background: BACKGROUNDS,
  mask: true,
  negativePrompt: true,
  outputCompression: true,
  moderation: true,
  inputFidelity: true,
  style: true,
};
