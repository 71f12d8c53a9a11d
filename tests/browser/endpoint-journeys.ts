import { expect } from '@jest/globals';
import { createClient } from '../acceptance/support/client.js';
import { mustGateway } from '../acceptance/support/product/gateway.js';
import { checkPage, expectSound, hasFocus, pressButton, type Views } from './check-page.js';
import type { BrowserScene } from './open-scene.js';
import type { Visitor } from './open-visitor.js';

/** Refusals of a day above which an account is named. */
const MAX_REFUSALS = 20;

/** Registers an endpoint of operators, has moderation refuse an account until its name comes, and deletes the endpoint. */
export async function registerEndpoint(scene: BrowserScene, operator: Visitor, views: Views): Promise<void> {
  const { page } = operator;
  await page.setViewportSize(views[0].size);
  await operator.open('/operator/events');
  await page.getByLabel('URL of a new endpoint').fill('https://ops.example/events');
  await page.getByRole('button', { name: 'Register endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^whsec_/).waitFor();
  expect(await checkPage(operator)).toEqual([]);
  await dialog.getByRole('button', { name: 'I have it' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { product } = scene;
  const email = 'refused@example.com';
  const account = await mustGateway<{ id: string }>(
    product,
    ...['account', 'create', '--email', email, '--balance', '10.00'],
  );
  const { key } = await mustGateway<{ key: string }>(product, 'key', 'create', '--account', account.id);
  const client = createClient({ url: product.url, key });
  const refuse = () => client.run({ prompt: 'sandbox:fail=moderation' }, 60_000);
  await Promise.all(Array.from({ length: MAX_REFUSALS + 1 }, refuse));
  const told = page.getByRole('table', { name: 'Events' }).getByText('account.moderated');
  await told.waitFor();
  for (const [name, path, shown] of [
    ['events-told', '/operator/events', told],
    ['system-needs', '', page.getByText(`Moderation refused ${MAX_REFUSALS + 1} calls`)],
    ['providers-moderated', '/operator/providers', page.getByText(email)],
  ] as const) {
    await operator.open(path);
    await shown.waitFor();
    await expectSound({ scene, visitor: operator, views }, name);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await operator.open('/operator/events');
  await pressButton(page.getByRole('button', { name: 'Delete' }));
  await pressButton(page.getByRole('dialog').getByRole('button', { name: 'Delete endpoint' }));
  await page.getByText('No endpoint yet.').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // The row is gone with its button; the part of the page around it has the focus.
  expect(await hasFocus(operator)).toBe(true);
  expect(operator.problems.splice(0)).toEqual([]);
}
