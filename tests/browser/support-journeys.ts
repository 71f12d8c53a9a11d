import { expect } from '@jest/globals';
import { checkPage, expectSound, pressButton, type Views } from './check-page.js';
import type { BrowserScene } from './open-scene.js';
import type { Visitor } from './open-visitor.js';

/** Things that a customer may name, and the customer. */
interface Case {
  readonly task: string;
  readonly failed: string;
  readonly keyPrefix: string;
  readonly email: string;
}

/**
 * Goes from the number on the first page to the failed task and its account, by three clicks. Then reads the audit log, which has
 * words only.
 */
export async function followFailures(operator: Visitor, { failed, email }: Case): Promise<void> {
  const { page } = operator;
  await page.setViewportSize({ width: 1280, height: 800 });
  await operator.open('');
  await page.getByText('Failed today').locator('..').getByRole('link').click();
  await page.getByRole('link', { name: failed }).click();
  await page.getByText('rejected by content moderation').waitFor();
  await page.getByRole('link', { name: email }).click();
  await page.getByRole('heading', { name: 'Movements of money' }).waitFor();
  await page.getByLabel('Kind').selectOption('topup');
  await page
    .getByRole('table', { name: 'Movements of money' })
    .getByText('Charges')
    .waitFor({ state: 'detached' });
  await operator.settle();
  expect(await checkPage(operator)).toEqual([]);
  await operator.open('/operator/audit');
  const words = await page.getByRole('table').textContent();
  expect(words).toContain('Models: nanobanana');
  expect(words).not.toMatch(/[[{]"/);
  expect(operator.problems.splice(0)).toEqual([]);
}

/** Finds things by what a customer names, with the keyboard alone, on a desk and on a phone. */
export async function findByAnyId(
  scene: BrowserScene,
  operator: Visitor,
  { task, keyPrefix, email }: Case,
  views: Views,
): Promise<void> {
  const { page } = operator;
  for (const view of views) {
    await page.setViewportSize(view.size);
    await operator.open('/operator/queues');
    const find = async (text: string): Promise<void> => {
      await page.getByRole('searchbox').focus();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await page.getByText(`For ${text.slice(0, text.startsWith('gw_') ? 12 : undefined)}`).waitFor();
    };
    await find(`${keyPrefix}${'x'.repeat(34)}`);
    await page.getByRole('table').getByRole('link', { name: email }).waitFor();
    await find('gen_nobody');
    await page.getByText('Nothing has this id').waitFor();
    await operator.settle();
    expect(await checkPage(operator)).toEqual([]);
    await find(task);
    await scene.screenshot(operator, `search-task-${view.name}`);
    await page.getByRole('table').getByRole('link', { name: task }).click();
    await page.getByRole('heading', { name: 'Images' }).waitFor();
  }
  await operator.open('/operator/tasks/gen_nobody');
  await page.getByText('No task has this id').waitFor();
  // The browser itself reports the 404 of the request.
  expect(operator.problems.splice(0).filter((problem) => !problem.includes('404'))).toEqual([]);
}

/** Makes an account with a key, and an operator who goes again, as far as secrets that are shown once and passwords asked for again. */
export async function manageCustomers(
  scene: BrowserScene,
  operator: Visitor,
  password: string,
  views: Views,
): Promise<void> {
  const { page } = operator;
  const dialog = page.getByRole('dialog');
  const press = (name: string) => pressButton(dialog.getByRole('button', { name }));
  const take = async (secret: RegExp): Promise<void> => {
    await dialog.getByText(secret).waitFor();
    await press('I have it');
    // One that closes stays until it has faded, beside the next one.
    await dialog.first().waitFor({ state: 'detached' });
  };
  const look = async (name: string): Promise<void> => {
    await operator.settle();
    await expectSound({ scene, visitor: operator, views }, name);
    await page.setViewportSize(views[0].size);
  };
  const email = 'pilot@example.com';
  await page.setViewportSize(views[0].size);
  await operator.open('/operator/accounts');
  await page.getByRole('button', { name: 'Create account' }).click();
  await dialog.getByLabel('E-mail address').fill(email);
  await dialog.getByLabel('Starting credit, in $').fill('5');
  await press('Create account');
  await dialog.getByText('Say why the account begins with a balance.').waitFor();
  await look('create-account');
  await dialog.getByLabel('Reason of the credit').fill('pilot');
  await press('Create account');
  await take(/^[\w-]{16}$/);
  await page.getByRole('heading', { name: email }).waitFor();
  await page.getByText('In force: 1000 (MAX_PENDING_TASKS)').waitFor();
  await page.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByLabel('Name').fill('batch');
  await dialog.getByText('Limits', { exact: true }).click();
  await dialog.getByLabel('Cap a day, in $').fill('2');
  await look('create-key');
  await press('Create key');
  await take(/^gw_/);
  await page.getByText('of $2.00').locator('visible=true').first().waitFor();
  await look('new-account');
  await page.getByRole('button', { name: 'Limits', exact: true }).click();
  await dialog.getByLabel('Cap a day, in $').fill('3');
  await press('Save limits');
  await page.getByText('of $3.00').locator('visible=true').first().waitFor();
  await operator.open('/operator/operators');
  await page.getByText('The last one stays.').waitFor();
  await page.getByRole('button', { name: 'Add operator' }).click();
  await dialog.getByLabel('E-mail address of the new operator').fill('second@example.com');
  await dialog.getByLabel('Your password').fill('wrong horse 9');
  await press('Add operator');
  await dialog.getByText('The password is wrong.').waitFor();
  await look('add-operator');
  await dialog.getByLabel('Your password').fill(password);
  await press('Add operator');
  await take(/^[\w-]{16}$/);
  await look('two-operators');
  const second = page.getByRole('row', { name: /second@/ });
  await second.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByLabel('Your password').fill(password);
  await press('Remove operator');
  await second.waitFor({ state: 'detached' });
  // The browser itself writes refused requests down.
  expect(operator.problems.splice(0).every((problem) => problem.includes('400'))).toBe(true);
}
