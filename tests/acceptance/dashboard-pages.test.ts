import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkPage, expectSound, type Views } from '../browser/check-page.js';
import { registerEndpoint } from '../browser/endpoint-journeys.js';
import { findChromium } from '../browser/find-chromium.js';
import { changeModels, changeRoutes, editBesideAnother } from '../browser/model-journeys.js';
import { type BrowserScene, isEveryView, openScene } from '../browser/open-scene.js';
import type { Visitor } from '../browser/open-visitor.js';
import { changeLimits, readSamples, readUsage, testWebhooks, useGallery } from '../browser/owner-journeys.js';
import { fillMonth, readStatus, SPANS } from '../browser/read-status.js';
import { findByAnyId, followFailures, manageCustomers } from '../browser/support-journeys.js';
import { listPages, walkForms } from '../browser/walk-forms.js';
import { createClient } from './support/client.js';
import { mustGateway } from './support/product/gateway.js';
import { projectRoot } from './support/product/product.js';

const chromium = await findChromium();
// Each page is checked once in each colour scheme, and with EVERY_VIEW=true in both at both sizes: only contrasts differ by scheme.
const VIEWS: Views = [
  {
    name: 'desktop',
    size: { width: 1280, height: 800 },
    colours: isEveryView ? ['dark', 'light'] : ['light'],
  },
  {
    name: 'phone',
    size: { width: 390, height: 844 },
    colours: isEveryView ? ['light', 'dark'] : ['dark'],
  },
];
const FIRST_LOAD_BYTES = 250_000;
const MAX_IMAGE_BYTES = 200_000;

let scene: BrowserScene;
let owner: Visitor;
let operator: Visitor;
let operatorPassword: string;
let ids: { task: string; failed: string; account: string; keyPrefix: string; email: string };

(chromium === null ? describe.skip : describe)('every page', () => {
  beforeAll(async () => {
    scene = await openScene(chromium ?? '');
    const { demo, operator: printed } = scene.product.run();
    if (!printed) {
      throw new Error('run.json has no operator');
    }
    const client = createClient({ url: scene.product.url, key: demo.apiKey });
    const [done, failed] = await Promise.all([
      client.run(
        { prompt: 'a lighthouse at dusk', num_outputs: 2, webhook_url: 'https://hooks.example/end' },
        60_000,
      ),
      client.run({ prompt: 'sandbox:fail=moderation' }, 60_000),
    ]);
    const args = [
      '--name',
      'nightly batch',
      '--cap-day',
      '0.025',
      '--cap-month',
      '5',
      '--models',
      'nanobanana',
    ];
    const limited = await mustGateway<{ key: string }>(
      scene.product,
      ...['key', 'create', '--account', demo.accountId, ...args],
    );
    await createClient({ url: scene.product.url, key: limited.key }).run(
      { prompt: 'a harbour in the fog', num_outputs: 2 },
      60_000,
    );
    ids = {
      task: done.id,
      failed: failed.id,
      account: demo.accountId,
      keyPrefix: limited.key.slice(0, 12),
      email: demo.email,
    };
    [owner, operator] = await Promise.all([scene.visitor(), scene.visitor()]);
    await owner.logIn(demo);
    await operator.logIn(printed);
    operatorPassword = printed.password;
  }, 700_000);
  afterAll(() => scene.close(), 120_000);

  const check = async (visitor: Visitor, name: string, path: string): Promise<void> => {
    await visitor.page.setViewportSize(VIEWS[0].size);
    await visitor.open(path);
    await expectSound({ scene, visitor, views: VIEWS }, name);
    expect(visitor.problems.splice(0)).toEqual([]);
  };

  test.each([
    ['log in', ''],
    ['sign up', '/sign-up'],
    ['forgot a password', '/forgot'],
    ['reset a password', '/reset#token'],
    ['confirm an address', '/confirm#token'],
    ['confirm a new address', '/email#token'],
  ])('to %s is sound, on a desk and on a phone, in light and in dark', async (name, path) => {
    const visitor = await scene.visitor();
    await check(visitor, name.replaceAll(' ', '-'), path);
  });

  test.each([
    ['overview', ''],
    ['playground', '/playground'],
    ['models-on-offer', '/models?beside=nanobanana-pro'],
    ['gallery', '/gallery'],
    ['gallery-filtered', '/gallery?type=image_edit&from=2026-01-01'],
    ['files', '/files'],
    ['tasks', '/tasks'],
    ['tasks-filtered', '/tasks?status=failed&type=image_edit'],
    ['keys', '/keys'],
    ['usage', '/usage'],
    ['billing', '/billing'],
    ['webhooks', '/webhooks'],
    ['settings', '/settings'],
    ['not-found', '/nothing'],
  ])('each page of owners is sound: %s', (name, path) => check(owner, name, path));

  test.each([
    ['task', 'completed', () => ids.task],
    ['task-failed', 'failed', () => ids.failed],
  ])('the page of a task is sound: %s, which has %s', (name, _, id) => check(owner, name, `/tasks/${id()}`));

  test.each([
    ['system', ''],
    ['status', '/operator/status'],
    ['accounts', '/operator/accounts'],
    ['task-log', '/operator/tasks'],
    ['task-log-filtered', '/operator/tasks?status=failed&failure=moderation&from=2026-01-01'],
    ['open-tasks', '/operator/tasks?show=open'],
    ['search', '/operator/search?q=demo'],
    ['search-nothing', '/operator/search?q=gen_nope'],
    ['models', '/operator/models'],
    ['model', '/operator/models/nanobanana'],
    ['model-none', '/operator/models/nobody'],
    ['providers', '/operator/providers'],
    ['queues', '/operator/queues'],
    ['events', '/operator/events'],
    ['operators', '/operator/operators'],
    ['ledger', '/operator/ledger'],
    ['audit', '/operator/audit'],
    ['gateway-settings', '/operator/settings'],
    ['operator-settings', '/settings'],
  ])('each page of operators is sound: %s', (name, path) => check(operator, name, path));

  test.each([
    ['account', () => `accounts/${ids.account}`],
    ['any-task', () => `tasks/${ids.task}`],
  ])('the page of one account and one task is sound for operators: %s', (name, path) =>
    check(operator, name, `/operator/${path()}`),
  );

  test('the page of the gallery is used by keyboard, shows an image large, and brings it to the playground', () =>
    useGallery(scene, owner, VIEWS));

  test('the page of the playground shows code in each language, on a desk and on a phone', () =>
    readSamples(scene, owner, VIEWS));

  test('the page of webhooks keeps a line of a test event, and the secret of an endpoint until it is copied', () =>
    testWebhooks(scene, owner, VIEWS));

  test('the page of usage names keys and the playground, and ids only where it must', () => readUsage(owner));

  test('the page of keys changes limits, and warns of a cap that is nearly used', () =>
    changeLimits(scene, owner, VIEWS));

  describe('with the figures of a busy month', () => {
    beforeAll(() => fillMonth(scene), 60_000);

    test.each(SPANS)('the page of status is sound over a %s', (...span) =>
      readStatus({ scene, operator, views: VIEWS }, span),
    );
  });

  test('the page of settings leads to the licences of the packages in these pages', async () => {
    await owner.open('/settings');
    const link = owner.page.getByRole('link', { name: 'Of the packages in these pages' });
    const answer = await fetch(new URL((await link.getAttribute('href')) ?? '', scene.dashboardUrl));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await answer.text()).toMatch(/^## react - /m);
  });

  test('the number of failed tasks leads to a task, its reason and its account, by three clicks', () =>
    followFailures(operator, ids));

  test('operators find by keyboard what has an id, a key that leaked, or nothing', () =>
    findByAnyId(scene, operator, ids, VIEWS));

  test('operators make accounts, keys and each other on the pages, whose secrets are shown once, and with their password again', () =>
    manageCustomers(scene, operator, operatorPassword, VIEWS));

  test('the page of models changes a price, checks a document, and shows the versions', () =>
    changeModels(scene, operator, VIEWS));

  test('the page of models keeps what was typed when another version is applied, and saves it on top of that one', () =>
    editBesideAnother(scene, operator, VIEWS));

  test('the page of a model adds a route, moves it by keyboard and removes it, and saves over no other version', () =>
    changeRoutes(scene, operator, VIEWS));

  test('the page of events registers an endpoint of operators, shows its secret once, and deletes it', () =>
    registerEndpoint(scene, operator, VIEWS));

  test('the page of queues leads to bull-board, which asks nobody else and reports no error', async () => {
    const { page } = operator;
    await page.setViewportSize(VIEWS[0].size);
    await page.emulateMedia({ colorScheme: 'light' });
    await operator.open('/operator/queues');
    await page.getByRole('link', { name: 'Open bull-board' }).click();
    await page.getByRole('link', { name: 'webhook' }).first().click();
    await page.waitForURL('**/dashboard/board/queue/webhook*');
    await page.getByText('COMPLETED').first().waitFor();
    await scene.screenshot(operator, 'bull-board');
    expect(operator.problems.splice(0)).toEqual([]);
  });

  test.each(['stranger', 'owner', 'operator'] as const)(
    'the dashboard keeps the focus in every form by keyboard, while it is sent and after it is refused: %s',
    async (role) => {
      const { task, account } = ids;
      const names = {
        '/tasks': task,
        '/operator/tasks': task,
        '/operator/accounts': account,
        '/operator/models': 'nanobanana',
      };
      const visitor = { stranger: await scene.visitor(), owner, operator }[role];
      await visitor.page.setViewportSize(VIEWS[0].size);
      await visitor.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      const walked = new Set<string>();
      const found: Record<string, readonly string[]> = {};
      for (const address of listPages(role, names)) {
        const faults = await walkForms(visitor, address, walked);
        Object.assign(found, faults.length > 0 && { [address]: faults });
      }
      expect(found).toEqual({});
      visitor.problems.length = 0;
    },
    300_000,
  );

  test('the dashboard is the log-in when nobody is logged in, and its windows are sound', async () => {
    await owner.open('/keys');
    await owner.page.getByRole('button', { name: 'Create key' }).first().click();
    await owner.page.getByRole('dialog').waitFor();
    for (const colorScheme of VIEWS[0].colours) {
      await owner.page.emulateMedia({ colorScheme });
      expect(await checkPage(owner)).toEqual([]);
    }
    await owner.page.keyboard.press('Escape');
    await owner.page.getByRole('dialog').waitFor({ state: 'detached' });
    const nobody = await scene.visitor();
    await nobody.open('/webhooks');
    expect(await nobody.page.locator('h1').textContent()).toBe('Log in');
  });

  test('the dashboard can be had in the colours that somebody chose, also after a reload', async () => {
    const { page } = await scene.visitor();
    const theme = () => page.evaluate<string>('document.documentElement.dataset.theme');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(scene.dashboardUrl);
    await page.getByRole('button', { name: /Theme: same as system/ }).click();
    await page.getByRole('button', { name: /Theme: light/ }).click();
    expect(await theme()).toBe('dark');
    await page.reload();
    expect(await theme()).toBe('dark');
  });

  test('the dashboard is reached by keyboard: the first stop skips to the content', async () => {
    await owner.page.setViewportSize(VIEWS[0].size);
    await owner.open('');
    await owner.page.keyboard.press('Tab');
    expect(await owner.page.evaluate<string>('document.activeElement.textContent')).toBe(
      'Skip to the content',
    );
    await owner.page.keyboard.press('Enter');
    expect(await owner.page.evaluate<string>('document.activeElement.id')).toBe('content');
  });

  test('the page of the overview is pictured in the README; RECORD_SCREENSHOT=1 takes the image anew', async () => {
    const image = path.join(projectRoot, 'docs/images/dashboard.png');
    if (process.env.RECORD_SCREENSHOT === '1') {
      const client = createClient({ url: scene.product.url, key: scene.product.run().demo.apiKey });
      const prompts = ['a red fox in the snow', 'a harbor at night', 'tulips in a field', 'a paper boat'];
      for (const prompt of prompts) {
        await client.run({ prompt }, 60_000);
      }
      await owner.page.setViewportSize({ width: 1280, height: 860 });
      await owner.page.emulateMedia({ colorScheme: 'light' });
      await owner.open('');
      await owner.page.waitForFunction(
        '[...document.images].every((image) => image.getBoundingClientRect().top > innerHeight || image.naturalWidth > 0)',
      );
      mkdirSync(path.dirname(image), { recursive: true });
      await owner.page.screenshot({ path: image, animations: 'disabled' });
    }
    expect(statSync(image).size).toBeLessThan(MAX_IMAGE_BYTES);
  });

  test('the dashboard is there with less than 250 kB of scripts and styles', async () => {
    const visitor = await scene.visitor();
    let bytes = 0;
    visitor.page.on('response', (response) => {
      if (/\.(js|css)$/.test(new URL(response.url()).pathname)) {
        bytes += Number(response.headers()['content-length'] ?? 0);
      }
    });
    await visitor.logIn(scene.product.run().demo);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);
    process.stderr.write(`first load, log-in and overview: ${Math.round(bytes / 1000)} kB compressed\n`);
  });
});
