import type { CapabilitiesEntry } from './capabilities.js';
import type { Protocol } from './provider-name.js';

// 2.x reads input images at high fidelity always and refuses the field for it.
const OPENAI: CapabilitiesEntry = {
  quality: ['low', 'medium', 'high', 'xhigh', 'max'],
  output_format: ['png', 'jpeg', 'webp'],
  background: ['opaque', 'transparent'],
  mask: true,
  output_compression: true,
  moderation: true,
};
const FAL: CapabilitiesEntry = { seed: 2_147_483_647, output_format: ['png', 'jpeg', 'webp'] };
const REPLICATE: CapabilitiesEntry = { output_format: ['png', 'jpeg'] };

/**
 * Optional fields of the upstream models of the built-in routes, where they differ from those of the protocol. Looked up in
 * November 2026.
 */
export const BUILT_IN_CAPABILITIES: Readonly<
  Partial<Record<Protocol, Readonly<Record<string, CapabilitiesEntry>>>>
> = {
  // wavespeed.ai/gpt-image-2-6-api and docs.apiyi.com; for gpt-image-2 its model page: three qualities, no transparency.
  openai: {
    'gpt-image-2.6-flare': OPENAI,
    'gpt-image-2.5-flare': OPENAI,
    'gpt-image-2.6-sunburst': OPENAI,
    'gpt-image-2': { ...OPENAI, quality: ['low', 'medium', 'high'], background: ['opaque'] },
  },
  // Types of @fal-ai/client for nano-banana; those of 2.1 are taken to be the same.
  fal: {
    'google/nano-banana-2.1': FAL,
    'fal-ai/nano-banana': FAL,
    'fal-ai/nano-banana-pro': FAL,
  },
  // replicate.com/google/nano-banana: `jpg` or `png`, no seed.
  replicate: {
    'google/nano-banana-2.1': REPLICATE,
    'google/nano-banana': REPLICATE,
    'google/nano-banana-pro': REPLICATE,
  },
};
