import type { CatalogDocument, ModelEntry, RouteEntry } from './document-schema.js';

// Further names for the OpenAI-compatible facade: the upstream models of built-in routes, and what clients send for the family.
// Refreshed with each release; looked up in November 2026.
const BUILT_IN_ALIASES = {
  nanobanana: [
    'gpt-image-1',
    'gpt-image-1-mini',
    'gpt-image-1.5',
    'gpt-image-2',
    'gpt-image-2.5-flare',
    'gpt-image-2.6-flare',
    'chatgpt-image-latest',
    'dall-e-2',
    'dall-e-3',
    'gemini-2.5-flash-image',
    'gemini-2.5-flash-image-preview',
    'gemini-3.1-flash-image',
    'gemini-3.1-flash-image-preview',
    'gemini-3.1-flash-lite-image',
    'gemini-nano-banana-2.1',
    'nano-banana',
    'nano-banana-2.1',
  ],
  'nanobanana-pro': [
    'gpt-image-2.5-sunburst',
    'gpt-image-2.6-sunburst',
    'gemini-3-pro-image',
    'gemini-3-pro-image-preview',
    'nano-banana-pro',
  ],
} as const;

const LIST_COSTS = { '1k': '0.0336', '2k': '0.0504', '4k': '0.1134' };
const PRO_COSTS = { '1k': '0.134', '2k': '0.134', '4k': '0.24' };
const RESOLD_PRO_COSTS = { '1k': '0.15', '2k': '0.15', '4k': '0.3' };

// The first nano-banana model: one size, and up to three input images by its maker's documentation, also where it is resold.
const FIRST_MODEL = { cost: { '1k': '0.039' }, max_inputs: 3, resolution: 'fixed' } as const;

// List prices of November 2026; OpenAI's are for quality medium, at $30 a million output tokens. OpenRouter passes on what its
// providers ask and reports the real cost with every response. Dollars a million tokens: BerriAI/litellm discussion 44983 for
// 2.1; docs.apiyi.com and skytells.ai for OpenAI's.
const NANO_BANANA_TOKENS = { text_in: '1.5', image_in: '1.5', out: '30', text_out: '7.5' };
const OPENAI_TOKENS = { text_in: '5', image_in: '8', out: '30' };

const geminiRoutes: readonly RouteEntry[] = [
  {
    provider: 'gemini',
    model: 'gemini-nano-banana-2.1',
    cost: LIST_COSTS,
    options: { thinkingConfig: { thinkingLevel: 'MINIMAL' } },
    token_cost: NANO_BANANA_TOKENS,
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
  token_cost: OPENAI_TOKENS,
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

// Shapes that OpenAI's limit of 3840x2160 pixels leaves room for at each resolution.
const OPENAI_RATIOS = ['16:9', '9:16', '1:1', '3:2', '2:3', '5:4', '4:5', '21:9'] as const;

// Estimates of November 2026 from tokens of 2.5 for each quality (cellcog.ai), scaled to 16:9. Low and medium of 2.6 take up to
// four times as many, the others as many (docs.laozhang.ai).
const FLARE_COSTS = {
  '1k': { low: '0.0143', medium: '0.032', high: '0.032', xhigh: '0.057', max: '0.128' },
  '2k': { low: '0.0246', medium: '0.055', high: '0.055', xhigh: '0.098', max: '0.22' },
  '4k': { low: '0.0446', medium: '0.1', high: '0.1', xhigh: '0.178', max: '0.4' },
} as const;
const FORMER_FLARE_COSTS = {
  '1k': { low: '0.0036', medium: '0.008', high: '0.032', xhigh: '0.057', max: '0.128' },
  '2k': { low: '0.0061', medium: '0.0138', high: '0.055', xhigh: '0.098', max: '0.22' },
  '4k': { low: '0.0112', medium: '0.025', high: '0.1', xhigh: '0.178', max: '0.4' },
} as const;

/** Built-in document: the two models of the specification at their prices with the default routes, and one with prices by quality. */
export const BUILT_IN_DOCUMENT = {
  default_model: 'nanobanana',
  models: {
    nanobanana: {
      ...SPECIFIED,
      name: 'Nano Banana',
      enabled: true,
      price: { '1k': '0.0100', '2k': '0.0100', '4k': '0.0100' },
      aliases: BUILT_IN_ALIASES.nanobanana,
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
      aliases: BUILT_IN_ALIASES['nanobanana-pro'],
      routes: [
        { provider: 'gemini', model: 'gemini-3-pro-image', cost: PRO_COSTS },
        { provider: 'fal', model: 'fal-ai/nano-banana-pro', cost: RESOLD_PRO_COSTS },
        { provider: 'replicate', model: 'google/nano-banana-pro', cost: RESOLD_PRO_COSTS },
        { provider: 'openrouter', model: 'google/gemini-3-pro-image', cost: PRO_COSTS },
        { ...OPENAI, model: 'gpt-image-2.6-sunburst' },
        formerOpenaiRoute,
      ],
    },
    'gpt-image': {
      name: 'GPT Image',
      family: 'gpt-image',
      enabled: false,
      types: ['image_generate', 'image_edit'],
      // Costs times the margin of nanobanana at 1k, 0.0100 / 0.0336.
      price: {
        '1k': { low: '0.0043', medium: '0.0095', high: '0.0095', xhigh: '0.0170', max: '0.0381' },
        '2k': { low: '0.0073', medium: '0.0164', high: '0.0164', xhigh: '0.0292', max: '0.0655' },
        '4k': { low: '0.0133', medium: '0.0298', high: '0.0298', xhigh: '0.0530', max: '0.1190' },
      },
      default_resolution: '1k',
      aspect_ratios: OPENAI_RATIOS,
      default_aspect_ratio: '16:9',
      facade_aspect_ratios: OPENAI_RATIOS,
      max_inputs: 9,
      max_outputs: 4,
      routes: [
        { provider: 'openai', model: 'gpt-image-2.6-flare', cost: FLARE_COSTS, token_cost: OPENAI_TOKENS },
        // A key may be without access to the newest model.
        {
          provider: 'openai',
          model: 'gpt-image-2.5-flare',
          cost: FORMER_FLARE_COSTS,
          token_cost: OPENAI_TOKENS,
        },
      ],
    },
  },
} as const satisfies CatalogDocument;

/** Models whose offer the specification fixes. */
export const SPECIFIED_MODELS: readonly string[] = ['nanobanana', 'nanobanana-pro'];
