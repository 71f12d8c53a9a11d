import type { CatalogDocument, ModelEntry, RouteEntry } from './catalog-document.js';

const LIST_COSTS = { '1k': '0.0336', '2k': '0.0504', '4k': '0.1134' };
const PRO_COSTS = { '1k': '0.134', '2k': '0.134', '4k': '0.24' };
const RESOLD_PRO_COSTS = { '1k': '0.15', '2k': '0.15', '4k': '0.3' };

// List prices of November 2026; OpenAI's are for quality medium, at $30 a million output tokens. OpenRouter passes on what its providers ask and reports the real cost with every response.
const geminiRoutes: readonly RouteEntry[] = [
  {
    provider: 'gemini',
    model: 'gemini-nano-banana-2.1',
    cost: LIST_COSTS,
    options: { thinkingConfig: { thinkingLevel: 'MINIMAL' } },
  },
  {
    provider: 'gemini',
    model: 'gemini-3.1-flash-lite-image',
    cost: { '1k': '0.0336' },
    resolution: 'fixed',
  },
  {
    provider: 'gemini',
    model: 'gemini-2.5-flash-image',
    cost: { '1k': '0.039' },
    max_inputs: 3,
    resolution: 'fixed',
  },
];
const openaiRoute: RouteEntry = {
  provider: 'openai',
  model: 'gpt-image-2',
  cost: { '1k': '0.032', '2k': '0.055', '4k': '0.1' },
  options: { quality: 'medium', moderation: 'auto' },
};
const SPECIFIED = {
  family: 'nano-banana',
  types: ['image_generate', 'image_edit'],
  default_resolution: '1k',
  aspect_ratios: ['16:9', '9:16'],
  default_aspect_ratio: '16:9',
  max_inputs: 9,
  max_outputs: 4,
} as const satisfies ModelEntry;

/** Built-in document: the two models of the specification at their prices, with the default routes. */
export const BUILT_IN_DOCUMENT = {
  default_model: 'nanobanana',
  models: {
    nanobanana: {
      ...SPECIFIED,
      name: 'Nano Banana',
      enabled: true,
      price: { '1k': '0.0100', '2k': '0.0100', '4k': '0.0100' },
      aliases: [
        'gpt-image-1',
        'gpt-image-1.5',
        'gpt-image-2',
        'dall-e-2',
        'dall-e-3',
        'gemini-2.5-flash-image',
      ],
      routes: [
        ...geminiRoutes,
        {
          provider: 'fal',
          model: 'google/nano-banana-2.1',
          cost: { '1k': '0.04', '2k': '0.059', '4k': '0.134' },
        },
        { provider: 'fal', model: 'fal-ai/nano-banana', cost: { '1k': '0.039' }, resolution: 'fixed' },
        { provider: 'replicate', model: 'google/nano-banana-2.1', cost: LIST_COSTS },
        { provider: 'replicate', model: 'google/nano-banana', cost: { '1k': '0.039' }, resolution: 'fixed' },
        { provider: 'openrouter', model: 'google/gemini-nano-banana-2.1', cost: LIST_COSTS },
        openaiRoute,
      ],
    },
    'nanobanana-pro': {
      ...SPECIFIED,
      name: 'Nano Banana Pro',
      enabled: false,
      price: { '1k': '0.016', '2k': '0.016', '4k': '0.032' },
      routes: [
        { provider: 'gemini', model: 'gemini-3-pro-image', cost: PRO_COSTS },
        { provider: 'fal', model: 'fal-ai/nano-banana-pro', cost: RESOLD_PRO_COSTS },
        { provider: 'replicate', model: 'google/nano-banana-pro', cost: RESOLD_PRO_COSTS },
        { provider: 'openrouter', model: 'google/gemini-3-pro-image', cost: PRO_COSTS },
        openaiRoute,
      ],
    },
  },
} as const satisfies CatalogDocument;
