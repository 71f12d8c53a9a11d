import type { Resolution, TaskType } from '../contract/index.js';

/** Model that can be requested, with the price of one output image. */
export interface CatalogModel {
  readonly id: string;
  /** Public catalog name. */
  readonly family: string;
  readonly types: readonly TaskType[];
  /** Micro-dollars per output image, by resolution. */
  readonly unitMicros: Readonly<Record<Resolution, bigint>>;
}

const TYPES: readonly TaskType[] = ['image_generate', 'image_edit'];

/** Every model the gateway knows; which of them are enabled is a setting. */
export const MODELS: Readonly<Record<string, CatalogModel>> = {
  nanobanana: {
    id: 'nanobanana',
    family: 'nano-banana',
    types: TYPES,
    unitMicros: { '1k': 10_000n, '2k': 10_000n, '4k': 10_000n },
  },
  'nanobanana-pro': {
    id: 'nanobanana-pro',
    family: 'nano-banana',
    types: TYPES,
    unitMicros: { '1k': 16_000n, '2k': 16_000n, '4k': 32_000n },
  },
};
