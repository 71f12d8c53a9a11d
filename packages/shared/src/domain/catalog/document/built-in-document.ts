import type { CatalogDocument, ModelEntry, RouteEntry } from './catalog-document.js';

const LIST_COSTS = { '1k': '0.0336', '2k': '0.0504', '4k': '0.1134' };
const PRO_COSTS = { '1k': '0.134', '2k': '0.134', '4k': '0.24' };
const RESOLD_PRO_COSTS = { '1k': '0.15', '2k': '0.15', '4k': '0.3' };

// The first nano-banana model: one size, and up to three input images by its maker's documentation, also where it is resold.
const FIRST_MODEL = { cost: { '1k': '0.039' }, max_inputs: 3, resolution: 'fixed' } as const;

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
  { provider: 'gemini', model: 'gemini-2.5-flash-image', ...FIRST_MODEL },
];
const OPENAI = {
  provider: 'openai',
  cost: { '1k': '0.032', '2k': '0.055', '4k': '0.1' },
  options: { quality: 'medium', moderation: 'auto' },
} as const;
// A key may be without access to the newest models; the former one has no end date yet.
const formerOpenaiRoute: RouteEntry = { ...OPENAI, model: 'gpt-image-2' };
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
          // Like the first choice: a fallback should draw at the same quality.
          options: { thinking_level: 'minimal' },
        },
        { provider: 'fal', model: 'fal-ai/nano-banana', ...FIRST_MODEL },
        // No field for the level of thinking is known at Replicate and OpenRouter: they draw at the default of the model, which is higher.
        { provider: 'replicate', model: 'google/nano-banana-2.1', cost: LIST_COSTS },
        { provider: 'replicate', model: 'google/nano-banana', ...FIRST_MODEL },
        { provider: 'openrouter', model: 'google/gemini-nano-banana-2.1', cost: LIST_COSTS },
        { ...OPENAI, model: 'gpt-image-2.6-flare' },
        formerOpenaiRoute,
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
        { ...OPENAI, model: 'gpt-image-2.6-sunburst' },
        formerOpenaiRoute,
      ],
    },
  },
} as const satisfies CatalogDocument;

/** Models whose offer the specification fixes. */
export const SPECIFIED_MODELS: readonly string[] = ['nanobanana', 'nanobanana-pro'];
