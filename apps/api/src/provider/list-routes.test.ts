import { readBuiltInCatalog } from '@image-gateway/shared/catalog/document';
import { describe, expect, test } from '@jest/globals';
import { listRoutes } from './list-routes.js';

const catalog = readBuiltInCatalog();
const getProviders = (names: readonly string[], sandboxServesRest = false) =>
  Object.entries(listRoutes(catalog, { names, sandboxServesRest })).map(([model, routes]) => [
    model,
    ...new Set(routes.map(({ provider }) => provider)),
  ]);

describe('the listed routes', () => {
  test('the listed routes of built-in models are those of the providers in use, in their order', () => {
    expect(getProviders(['openai', 'gemini'])).toEqual([
      ['nanobanana', 'openai', 'gemini'],
      ['nanobanana-pro', 'openai', 'gemini'],
      ['gpt-image', 'openai'],
    ]);
  });

  test('the listed routes are those of the sandbox only where it is the only provider', () => {
    expect(getProviders(['sandbox'], true)).toEqual([
      ['nanobanana', 'sandbox'],
      ['nanobanana-pro', 'sandbox'],
      ['gpt-image', 'sandbox'],
    ]);
    expect(getProviders(['sandbox', 'fal'])).toEqual([
      ['nanobanana', 'fal'],
      ['nanobanana-pro', 'fal'],
      ['gpt-image'],
    ]);
  });
});
