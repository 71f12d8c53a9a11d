import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findChromium } from '../browser/find-chromium.js';
import { type BrowserScene, openScene } from '../browser/open-scene.js';
import type { Visitor } from '../browser/open-visitor.js';
import { eventually } from './support/eventually.js';
import { mustGateway } from './support/product/gateway.js';

const chromium = await findChromium();
const owner = { email: `owner-${randomUUID()}@example.com`, password: 'correct horse 9' };

let scene: BrowserScene;
let me: Visitor;
let operator: Visitor;
let key: string;

// Steps of one story: each goes on where the one before it ended. Further stories: dashboard-stories.
(chromium === null ? describe.skip : describe)('in a browser', () => {
  beforeAll(async () => {
    scene = await openScene(chromium ?? '');
    [me, operator] = await Promise.all([scene.visitor(), scene.visitor()]);
  }, 700_000);
  afterAll(() => scene.close(), 120_000);

  const statusWithKey = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${scene.product.url}/v1/tasks`, { headers })).status;
  };

  test('somebody signs up, has no money, and makes a key that is shown once and works', async () => {
    const { page } = me;
    await me.open('');
    await page.getByRole('link', { name: 'Sign up' }).click();
    await page.fill('input[type=email]', owner.email);
    await page.fill('input[type=password]', owner.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('The balance is empty').waitFor();
    await page.getByRole('button', { name: 'Ask for credit' }).click();
    await page.getByLabel('Note').fill('for a shop');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('The operator has your request.').waitFor();
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByLabel('Name').fill('laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    key = (await page.getByRole('dialog').locator('pre').textContent()) ?? '';
    await page.keyboard.press('Escape');
    await page.getByText('This cannot be shown again.').waitFor();
    await page.getByRole('button', { name: 'I have it' }).click();
    const row = page.getByRole('row', { name: 'laptop' });
    await row.getByRole('cell', { name: 'may spend the whole balance', exact: true }).waitFor();
    expect(await page.content()).not.toContain(key);
    expect(await statusWithKey()).toBe(200);
  });

  test('the operator finds the account and tops it up, which stands in the audit log', async () => {
    const { page } = operator;
    const printed = scene.product.run().operator;
    if (printed === undefined) {
      throw new Error('run.json has no operator');
    }
    await operator.logIn(printed);
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByLabel('Search').fill(owner.email);
    await page.getByRole('link', { name: owner.email }).click();
    await page.getByText('for a shop').waitFor();
    await page.getByLabel('Dollars').fill('500000');
    await page.getByLabel('Reason').fill('typo');
    await page.getByRole('button', { name: 'Credit' }).click();
    await page.getByText('and will be $500,000').waitFor();
    await scene.screenshot(operator, 'account-booking');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('Dollars').fill('1.50');
    await page.getByLabel('Reason').fill('welcome');
    await page.getByRole('button', { name: 'Credit' }).click();
    await page.getByText(`$1.50 booked to ${owner.email}. The balance is now $1.50.`).waitFor();
    await scene.screenshot(operator, 'account');
    await page.getByText('$1.50', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText('reason: welcome').waitFor();
    expect(operator.problems).toEqual([]);
  });

  test('the owner tries a prompt, sees the image, edits it, and finds both among the tasks', async () => {
    const { page } = me;
    await page.getByRole('link', { name: 'Playground' }).click();
    await page.getByLabel('Prompt').fill("a fox's den");
    expect(await page.locator('pre').textContent()).toContain(`"prompt":"a fox'\\''s den"`);
    await page.getByRole('button', { name: 'Generate' }).click();
    const image = page.getByRole('img', { name: /Image 1/ });
    await image.waitFor();
    await me.settle();
    expect(await image.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBeGreaterThan(
      500,
    );
    await page.getByRole('button', { name: 'Edit this one' }).click();
    await page.getByLabel('Prompt').fill('make it night');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('img', { name: /make it night/ }).waitFor();
    await me.settle();
    await scene.screenshot(me, 'playground-result');
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByRole('link', { name: /a fox's den/ }).click();
    await page.getByText('Image 1 stored').waitFor();
    expect(new URL(page.url()).pathname.split('/').at(-1)).toMatch(/^gen_/);
    expect(me.problems).toEqual([]);
  });

  test('a key is revoked after a question and stops working within 5 s, and the books hold', async () => {
    const { page } = me;
    await me.open('/keys');
    // Just used: whatever remembers good keys remembers this one.
    expect(await statusWithKey()).toBe(200);
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('revoked', { exact: true }).first().waitFor();
    await eventually(async () => expect(await statusWithKey()).toBe(401), { withinMs: 5_000 });
    expect(await mustGateway(scene.product, 'ledger', 'check')).toMatchObject({ ok: true });
  });
});
