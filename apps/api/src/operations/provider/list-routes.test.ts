import { readBuiltInCatalog } from '@image-gateway/shared/catalog/document';
import type { RoutingTable } from '@image-gateway/shared/upstreams';
import { describe, expect, test } from '@jest/globals';
import { listRoutes } from './list-routes.js';

const catalog = readBuiltInCatalog();
const getProviders = (providers: readonly string[], fileRoutes: RoutingTable | null = null) =>
  Object.entries(listRoutes(catalog, { providers, fileRoutes })).map(([model, routes]) => [
    model,
    ...new Set(routes.map(({ provider }) => provider)),
  ]);

describe('the listed routes', () => {
  test('of built-in models are those of the providers in use, in their order', () => {
    expect(getProviders(['openai', 'gemini'])).toEqual([
      ['nanobanana', 'openai', 'gemini'],
      ['nanobanana-pro', 'openai', 'gemini'],
    ]);
  });

  test('are those of the sandbox only where it is the only provider', () => {
    expect(getProviders(['sandbox'])).toEqual([
      ['nanobanana', 'sandbox'],
      ['nanobanana-pro', 'sandbox'],
    ]);
    expect(getProviders(['sandbox', 'fal'])).toEqual([
      ['nanobanana', 'fal'],
      ['nanobanana-pro', 'fal'],
    ]);
  });

  test('are those of ROUTES_FILE for the models that it names', () => {
    const route = { model: 'm', costMicros: {}, types: [], maxInputs: 9, maxImagesPerCall: 1, options: {} };
    const fileRoutes = { nanobanana: [{ ...route, provider: 'replicate', weight: null, concurrency: 1 }] };
    expect(getProviders(['fal', 'replicate'], fileRoutes)).toEqual([
      ['nanobanana', 'replicate'],
      ['nanobanana-pro', 'fal', 'replicate'],
    ]);
  });
});
