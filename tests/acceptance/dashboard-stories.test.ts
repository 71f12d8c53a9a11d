import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findChromium } from '../browser/find-chromium.js';
import { chooseZone, goOffline, readChart, seeShell, useMenu } from '../browser/frame-journeys.js';
import { addModel } from '../browser/model-journeys.js';
import { type BrowserScene, openScene } from '../browser/open-scene.js';
import type { Visitor } from '../browser/open-visitor.js';
import { createClient } from './support/client.js';
import { newKey } from './support/product/accounts.js';
import { query } from './support/product/database.js';
import { mustGateway } from './support/product/gateway.js';

const chromium = await findChromium();
const owner = { email: `owner-${randomUUID()}@example.com`, password: 'correct horse 9' };

let scene: BrowserScene;
let me: Visitor;
let operator: Visitor;
let taskId: string;

// Steps of one story: each goes on where the one before it ended.
(chromium === null ? describe.skip : describe)('in a browser', () => {
  beforeAll(async () => {
    scene = await openScene(chromium ?? '');
    [me, operator] = await Promise.all([scene.visitor(), scene.visitor()]);
    const { email, password } = owner;
    const create = ['account', 'create', '--email', email, '--password', password, '--balance', '1.50'];
    const { id } = await mustGateway<{ id: string }>(scene.product, ...create);
    const { key } = await newKey(scene.product, id);
    const client = createClient({ url: scene.product.url, key });
    await client.run({ prompt: 'sandbox:fixed a badger' });
    taskId = (await client.run({ prompt: "sandbox:fixed a fox's den" })).id;
  }, 700_000);
  afterAll(() => scene.close(), 120_000);

  test('the log-in form stands at the printed address, with one field of each kind and one button', async () => {
    expect(scene.dashboardUrl).toMatch(/^http:\/\/localhost:\d+\/dashboard$/);
    expect(new URL(scene.product.run().dashboard?.url ?? '').pathname).toBe('/dashboard');
    await me.open('');
    for (const one of [
      'input[type=email]',
      'input[type=password]',
      'button[type=submit], input[type=submit]',
    ]) {
      expect(await me.page.locator(one).count()).toBe(1);
    }
    await me.page.fill('input[type=email]', owner.email);
    await me.page.fill('input[type=password]', 'wrong one');
    await me.page.click('button[type=submit]');
    await me.page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor();
    // The browser itself writes refused requests down.
    expect(me.problems.splice(0)).toEqual([expect.stringContaining('401')]);
    await me.logIn(owner);
  });

  test('both printed log-ins work', async () => {
    const { demo, operator: printed } = scene.product.run();
    if (!printed) {
      throw new Error('run.json has no operator');
    }
    for (const { email, password } of [demo, printed]) {
      expect(scene.product.log()).toContain(`${email}  password ${password}`);
      const visitor = email === demo.email ? await scene.visitor() : operator;
      await visitor.logIn({ email, password });
      expect(visitor.problems).toEqual([]);
    }
    await operator.page.getByRole('heading', { name: 'System' }).waitFor();
  });

  test('the exported usage adds up to what the ledger took', async () => {
    const { page } = me;
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('$0.02').first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    const parts: Buffer[] = [];
    for await (const part of await download.createReadStream()) {
      parts.push(part as Buffer);
    }
    const [header = '', ...lines] = Buffer.concat(parts).toString().trimEnd().split('\r\n');
    const column = header.split(',').indexOf('cost');
    const costs = lines.map((line) => Number(line.split(',')[column]?.replace('$', '')));
    const total = costs.reduce((sum, cost) => sum + Math.round(cost * 1e6), 0);
    const [ledger] = await query<{ sum: string }>(
      scene.product,
      `SELECT sum(l.amount_micros) FROM ledger_transfers l JOIN accounts a ON a.id = l.account_id
        WHERE a.email = $1 AND l.kind = 'capture'`,
      [owner.email],
    );
    expect({ lines: lines.length, total }).toEqual({ lines: 2, total: Number(ledger?.sum) });
  });

  test('a chart is read by keyboard and by pointer: the day and what it cost', () => readChart(me));

  test('the navigation is a menu on a phone, which the keyboard opens, closes and leaves', () =>
    useMenu(scene, me));

  test('times name their zone, that of the browser or UTC, and the choice is kept', async () => {
    const visitor = await scene.visitor('America/Los_Angeles');
    await visitor.logIn(owner);
    await chooseZone(visitor, taskId);
  });

  test('a page says that the network is lost, also one that was never loaded, and goes on when it is back', () =>
    goOffline(scene, me));

  test('the page has its name and a placeholder before the first script is there', async () => {
    const visitor = await scene.visitor();
    await visitor.open('');
    await seeShell(visitor);
  });

  test('another account sees none of it, nor does an owner the pages of operators', async () => {
    const stranger = await scene.visitor();
    await stranger.logIn(scene.product.run().demo);
    await stranger.open(`/tasks/${taskId}`);
    expect(await stranger.page.locator('h1').textContent()).toBe('Page not found');
    await stranger.open('/tasks');
    expect(await stranger.page.content()).not.toContain('fox');
    await stranger.open('/operator/accounts');
    expect(await stranger.page.locator('h1').textContent()).toBe('Page not found');
    const refused = await stranger.page.request.get(`${scene.dashboardUrl}/api/operator/accounts`);
    expect(refused.status()).toBe(403);
    expect(await refused.json()).toMatchObject({ data: null, error: { code: 'FORBIDDEN' } });
  });

  test('an expired session leads to the log-in at once, and back to the same page', async () => {
    const { page } = me;
    await me.open('/keys');
    await query(
      scene.product,
      `UPDATE auth_sessions SET expires_at = now() - interval '1 second'
        WHERE user_id = (SELECT id FROM auth_users WHERE email = $1)`,
      [owner.email],
    );
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.fill('input[type=email]', owner.email);
    await page.fill('input[type=password]', owner.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    me.problems.length = 0;
  });

  test('the owner of a suspended account sees why, looks at everything and changes nothing until it is resumed', async () => {
    const { page } = operator;
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByRole('link', { name: owner.email }).click();
    await page.getByRole('button', { name: 'Suspend', exact: true }).click();
    await page.getByLabel('Reason').last().fill('invoice 17 is unpaid');
    await page.getByRole('button', { name: 'Suspend account' }).click();
    await page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
    await me.open('/tasks');
    expect(await me.page.locator('h1').textContent()).toBe('Tasks');
    await me.page.getByText('Reason: invoice 17 is unpaid').waitFor();
    await scene.screenshot(me, 'suspended');
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByRole('button', { name: 'Resume account' }).click();
    await page.getByRole('button', { name: 'Suspend', exact: true }).waitFor();
    await me.open('/tasks');
    expect(await me.page.locator('h1').textContent()).toBe('Tasks');
    expect(me.problems).toEqual([]);
  });

  test('an operator adds a model by a form, which says what is missing and shows what it writes', () =>
    addModel(operator));
});
