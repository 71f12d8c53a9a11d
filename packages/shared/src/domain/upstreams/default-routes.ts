import type { WrittenRoute, WrittenRoutes } from './routes-schema.js';

// List prices of November 2026. OpenRouter passes on what its providers ask; it says the real cost with every answer.
const gemini: readonly WrittenRoute[] = [
  {
    provider: 'gemini',
    model: 'gemini-nano-banana-2.1',
    cost_per_image: { '1k': '0.0336', '2k': '0.0504', '4k': '0.1134' },
    options: { thinkingConfig: { thinkingLevel: 'MINIMAL' } },
  },
  { provider: 'gemini', model: 'gemini-3.1-flash-lite-image', cost_per_image: { '1k': '0.0336' } },
  { provider: 'gemini', model: 'gemini-2.5-flash-image', cost_per_image: { '1k': '0.039' } },
];
const openai: WrittenRoute = {
  provider: 'openai',
  model: 'gpt-image-2',
  cost_per_image: { '1k': '0.13', '2k': '0.26', '4k': '0.52' },
  options: { quality: 'medium', moderation: 'auto' },
};

/** The routing table that holds when no file is given; a provider without a key is left out of it. */
export const DEFAULT_ROUTES: WrittenRoutes = {
  models: {
    nanobanana: [
      ...gemini,
      {
        provider: 'fal',
        model: 'google/nano-banana-2.1',
        cost_per_image: { '1k': '0.04', '2k': '0.059', '4k': '0.134' },
      },
      { provider: 'fal', model: 'fal-ai/nano-banana', cost_per_image: { '1k': '0.039' } },
      {
        provider: 'replicate',
        model: 'google/nano-banana-2.1',
        cost_per_image: { '1k': '0.0336', '2k': '0.0504', '4k': '0.1134' },
      },
      { provider: 'replicate', model: 'google/nano-banana', cost_per_image: { '1k': '0.039' } },
      {
        provider: 'openrouter',
        model: 'google/gemini-nano-banana-2.1',
        cost_per_image: { '1k': '0.0336', '2k': '0.0504', '4k': '0.1134' },
      },
      openai,
    ],
    'nanobanana-pro': [
      {
        provider: 'gemini',
        model: 'gemini-3-pro-image',
        cost_per_image: { '1k': '0.134', '2k': '0.134', '4k': '0.24' },
      },
      {
        provider: 'fal',
        model: 'fal-ai/nano-banana-pro',
        cost_per_image: { '1k': '0.15', '2k': '0.15', '4k': '0.3' },
      },
      {
        provider: 'replicate',
        model: 'google/nano-banana-pro',
        cost_per_image: { '1k': '0.15', '2k': '0.15', '4k': '0.3' },
      },
      {
        provider: 'openrouter',
        model: 'google/gemini-3-pro-image',
        cost_per_image: { '1k': '0.134', '2k': '0.134', '4k': '0.24' },
      },
      openai,
    ],
  },
};
