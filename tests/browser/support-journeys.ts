import { expect } from '@jest/globals';
import { checkPage, type Views } from './check-page.js';
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
