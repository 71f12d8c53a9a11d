import { expect, test } from '@jest/globals';
import { renderBanner } from './render-banner.js';
import { resolveSettings } from './resolve-settings.js';
import type { StackProviders } from './sync-catalog.js';

const state = {
  settings: resolveSettings({}, '/somewhere'),
  // Keys that the environment has for other programs say nothing about the gateway.
  env: { ANTHROPIC_API_KEY: 'k' },
  services: {},
  apps: { api: null, generationWorkers: [], webhookWorkers: [] },
  providers: {},
  demo: null,
  operator: { email: 'operator@example.com', password: 'open sesame' },
  dashboardUrl: null,
};
const render = (providers: StackProviders): string => renderBanner({ ...state, providers });

test('the banner names the providers in use, instances of the catalog too, and what only the sandbox draws', () => {
  const banner = render({ providers: ['sandbox', 'my-gpu'], sandbox_models: ['nanobanana'] });
  expect(banner).toContain('Providers    sandbox, my-gpu\n');
  expect(banner).toContain('Sandbox      draws test images for nanobanana; no upstream is called for them\n');
  const models = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  expect(render({ providers: ['sandbox'], sandbox_models: models })).toContain('a, b, c, d, e and 2 more;');
});

test('the banner says nothing of the sandbox where upstream providers draw everything', () => {
  const banner = render({ providers: ['gemini'], sandbox_models: [] });
  expect(banner).toContain('Providers    gemini\n');
  expect(banner).not.toMatch(/sandbox/i);
  expect(render({})).not.toContain('Providers');
});

test('the banner shows no password where others keep the output, but at the first start', () => {
  expect(renderBanner(state, { showsLogins: true })).toContain('open sesame');
  expect(renderBanner(state, { showsLogins: false })).not.toContain('open sesame');
  expect(renderBanner(state, { showsLogins: false })).toContain('run.json');
});
