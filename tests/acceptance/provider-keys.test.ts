import { writeFileSync } from 'node:fs';
import type http from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkPage } from '../browser/check-page.js';
import { findChromium } from '../browser/find-chromium.js';
import { type BrowserScene, openScene as openBrowserScene } from '../browser/open-scene.js';
import type { Visitor } from '../browser/open-visitor.js';
import { eventually } from './support/eventually.js';
import { query } from './support/product/database.js';
import { mustGateway } from './support/product/gateway.js';
import { openScene, type Scene } from './support/scene.js';
import { type Delivery, startServer } from './support/servers/start-server.js';
import { startTraceCollector, type TraceCollector } from './support/servers/trace-collector.js';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAAAkBAMAAADLIiGhAAAAMFBMVEUVOEofb4v/6LAYTmQeaoYWP1IbWXEdZH5XjZR2npnKzKg3fI+2waT45K+bsqDp3KyB4b1pAAAACXBIWXMAAAsTAAALEwEAmpwYAAAA10lEQVQ4y2MQJAAYBq2Cznez8SroUlLSfYhHgcQlJSUlLTwK9iqBwEHcCg6BFWjgVCB9CaxAB6cCCbC8kj5OBZIQBbrkmyCtRMANgovACjQxFIiZQxlNYAUL0RWIBTCYILlSfyOaAqA8A0zFfKCC1WhB7QaSZ2BNhPDmrHoBFReBKnBmgADWQlT3iqRCFDgHQBUwMKOoEDFlYEDWD1bhiCRvwABWgCzPwMAGlxcHyQMVFDOggjAUeQYMeQaGcIS/gQBTHhIcYgEMeIAJNFxwAtZk/PLDDwAAZUVLLXz6x5QAAAAASUVORK5CYII=';
const KEYS = ['first-secret-of-the-vendor-1111', 'second-secret-of-the-vendor-2222'] as const;
const FOLLOWED_MS = 5_000;
/** Last day of the only model, in three weeks. */
const END = new Date(Date.now() + 21 * 86_400_000).toISOString().slice(0, 10);
const VIEWS = [
  { name: 'desktop', size: { width: 1280, height: 800 }, colour: 'light' },
  { name: 'desktop-dark', size: { width: 1280, height: 800 }, colour: 'dark' },
  { name: 'phone', size: { width: 390, height: 844 }, colour: 'light' },
] as const;

const chromium = await findChromium();

/** Vendor that knows two keys, and writes down which one each call had, and when. */
let vendor: Awaited<ReturnType<typeof startServer>>;
const calls: { readonly key: string; readonly at: number; readonly draws: boolean }[] = [];
let collector: TraceCollector;
let browser: BrowserScene;
let scene: Scene;
let operator: Visitor;
let password: string;

function serve(response: http.ServerResponse, { headers, method, at }: Delivery): void {
  const key = String(headers.authorization).replace('Bearer ', '');
  const draws = method === 'POST';
  calls.push({ key, at, draws });
  const isKnown = KEYS.some((one) => one === key);
  response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
  const said = draws
    ? { data: [{ b64_json: PNG }] }
    : { data: [{ id: 'sketch-1', shutdown_date: END }, { id: 'sketch-2' }] };
  response.end(JSON.stringify(isKnown ? said : { error: { message: `Incorrect API key: ${key}` } }));
}

(chromium === null ? describe.skip : describe)('keys of a provider on the page, with three workers', () => {
  beforeAll(async () => {
    vendor = await startServer(serve);
    collector = await startTraceCollector();
    browser = await openBrowserScene(
      chromium ?? '',
      { ENABLED_MODELS: '', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
      ['--workers', '3'],
    );
    const { product } = browser;
    const file = path.join(product.dataDir, 'vendor.yaml');
    writeFileSync(
      file,
      `providers: { vendor: { protocol: openai, base_url: "${vendor.url('/v1')}", key_env: VENDOR_KEYS } }
models:
  sketch: { price: { 1k: "0.01" }, types: [image_generate], routes: [{ provider: vendor, model: sketch-1, cost: { 1k: "0.001" }, resolution: fixed }] }
`,
    );
    await mustGateway(product, 'catalog', 'apply', file);
    scene = await openScene(product);
    const printed = product.run().operator;
    if (!printed) {
      throw new Error('run.json has no operator');
    }
    ({ password } = printed);
    operator = await browser.visitor();
    await operator.logIn(printed);
  }, 700_000);
  afterAll(async () => {
    await browser.close();
    await vendor.close();
    await collector.close();
  });

  /** Opens the window of the provider by keyboard. */
  const manage = async (): Promise<void> => {
    await operator.open('/operator/providers');
    const button = operator.page.getByRole('button', { name: 'Manage vendor' });
    await button.focus();
    await operator.page.keyboard.press('Enter');
    await operator.page.getByRole('dialog').waitFor();
  };
  const typeKey = async (label: string, key: string, button: string): Promise<void> => {
    const { page } = operator;
    // Its section may have the same name.
    await page.getByLabel(label, { exact: true }).and(page.locator('input, textarea')).fill(key);
    await page.getByLabel('Your password').fill(password);
    await page.getByRole('button', { name: button }).click();
  };
  const look = async (name: string): Promise<void> => {
    for (const { name: view, size, colour } of VIEWS) {
      await operator.page.setViewportSize(size);
      await operator.page.emulateMedia({ colorScheme: colour });
      expect(await checkPage(operator)).toEqual([]);
      await browser.screenshot(operator, `${name}-${view}`);
    }
    await operator.page.setViewportSize(VIEWS[0].size);
    await operator.page.emulateMedia({ colorScheme: 'light' });
  };

  test('a key is set, tested, rotated and removed under load: no call has the old one five seconds later, and no byte of either stands anywhere', async () => {
    const { page } = operator;
    await manage();
    await typeKey('Key', 'not-a-key-of-this-vendor', 'Set key');
    await page.getByText('vendor refuses the key').waitFor();
    expect(await query(browser.product, 'SELECT * FROM provider_keys')).toEqual([]);
    await look('provider-refused');
    await typeKey('Key', KEYS[0], 'Set key');
    await page.getByText('The provider accepts the key.').waitFor();
    // Never shown again, not even in the field.
    expect(await page.getByLabel('New key', { exact: true }).inputValue()).toBe('');
    await page.getByRole('button', { name: 'Test keys' }).click();
    await page.getByText('2 models listed by the provider').waitFor();
    await look('provider-key');
    for (const at of ['/operator/models', '/operator/providers', '']) {
      await operator.open(at);
      await page.getByText(`its last route (vendor sketch-1) ends on ${END}`).first().waitFor();
      await look(`ending-model${at.replaceAll('/', '-')}`);
    }
    await manage();

    const { client } = await scene.customer('50.00');
    await eventually(async () =>
      expect((await client.generate({ prompt: 'x', model: 'sketch' })).status).toBe(202),
    );
    const over = new AbortController();
    const load = (async () => {
      while (!over.signal.aborted) {
        await Promise.all(
          Array.from({ length: 4 }, () => client.generate({ prompt: 'under load', model: 'sketch' })),
        );
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    })();
    const drawn = (key: string, after: number) =>
      calls.filter((call) => call.draws && call.key === key && call.at > after);
    await eventually(() => expect(drawn(KEYS[0], 0).length).toBeGreaterThan(10));

    await typeKey('New key', KEYS[1], 'Replace key');
    await page.getByText('The provider accepts the key.').waitFor();
    const rotatedAt = Date.now();
    await new Promise((resolve) => setTimeout(resolve, FOLLOWED_MS + 4_000));
    expect(drawn(KEYS[0], rotatedAt + FOLLOWED_MS)).toEqual([]);
    expect(drawn(KEYS[1], rotatedAt + FOLLOWED_MS).length).toBeGreaterThan(10);

    await page.getByLabel('Your password').fill(password);
    await page.getByRole('button', { name: 'Remove key' }).click();
    await page.getByText('The key is removed.').waitFor();
    const removedAt = Date.now();
    await new Promise((resolve) => setTimeout(resolve, FOLLOWED_MS + 3_000));
    over.abort();
    await load;
    expect(calls.filter(({ at }) => at > removedAt + FOLLOWED_MS)).toEqual([]);

    const tables = await query<{ name: string }>(
      browser.product,
      "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    );
    const dump: string[] = [];
    for (const { name } of tables) {
      const rows = await query<{ text: string }>(browser.product, `SELECT t::text AS text FROM ${name} t`);
      dump.push(...rows.map(({ text }) => text));
    }
    const told = [...dump, browser.product.log(), ...collector.spans().map(({ text }) => text)].join('\n');
    expect(told).toContain('provider.key.set');
    expect(told).toContain('provider.key.remove');
    expect(collector.spans().length).toBeGreaterThan(10);
    for (const key of KEYS) {
      const forms = [key, Buffer.from(key).toString('hex'), Buffer.from(key).toString('base64').slice(0, -4)];
      expect(forms.filter((form) => told.includes(form))).toEqual([]);
    }
  }, 180_000);

  test('a ceiling and a pause are set and removed by form, and a trial image says its cost first', async () => {
    const { page } = operator;
    await manage();
    await typeKey('Key', KEYS[0], 'Set key');
    await page.getByText('The provider accepts the key.').waitFor();
    await page.getByRole('button', { name: 'Draw one image…' }).click();
    await page.getByText('costs about $0.001').waitFor();
    await page.getByRole('button', { name: 'Draw for $0.001' }).click();
    await page.getByText(/Image of sketch-1: 64 × 36/).waitFor();
    await page.getByLabel('Dollars a day').fill('5.00');
    await page.getByRole('button', { name: 'Save ceiling' }).click();
    await page.getByText('The ceiling is saved.').waitFor();
    await page.getByLabel('Pause new calls').selectOption({ label: 'for 1 hour' });
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText(/paused until/).waitFor();
    await look('provider-bounds');
    await page.getByRole('button', { name: 'Resume calls' }).click();
    await page.getByLabel('Pause new calls').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await look('providers-card');
    await operator.open('/operator/models');
    await page.getByLabel('Model', { exact: true }).fill('flux-new');
    await page.getByLabel('Provider', { exact: true }).selectOption('vendor');
    await page.getByText('The provider lists 2 models.').waitFor();
    await page.getByLabel('Model of the provider').fill('sketch-2');
    await page.getByLabel('Price 1k').fill('0.02');
    await page.getByLabel('Cost 1k').fill('0.01');
    await page.getByLabel('The provider draws one size').check();
    await page.getByRole('button', { name: 'Show the lines' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('model: sketch-2').waitFor();
    await page.getByText('Changes', { exact: true }).waitFor();
    await look('model-form');
    await page.getByRole('button', { name: 'Add the model' }).click();
    await page.getByText(/Added with version \d+/).waitFor();
    const { client } = await scene.customer();
    await eventually(async () =>
      expect((await client.generate({ prompt: 'x', model: 'flux-new' })).status).toBe(202),
    );
    expect(operator.problems.filter((problem) => !problem.includes('400'))).toEqual([]);
  });
});
