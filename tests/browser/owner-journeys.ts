import { expect } from '@jest/globals';
import { checkPage, expectSound, hasFocus, pressButton, type Views } from './check-page.js';
import type { BrowserScene } from './open-scene.js';
import type { Visitor } from './open-visitor.js';

/** Languages of the playground's code, and what stands in each; that of the OpenAI SDK is the last. */
const SAMPLES = [
  ['curl', '/v1/generate'],
  ['JavaScript', 'await fetch('],
  ['Python', 'import '],
  ['OpenAI SDK', "import OpenAI from 'openai';"],
] as const;

/** Goes through the gallery by keyboard, opens an image, and takes it to the playground. */
export async function useGallery(scene: BrowserScene, owner: Visitor, views: Views): Promise<void> {
  const { page } = owner;
  for (const view of views) {
    await page.setViewportSize(view.size);
    await owner.open('/gallery');
    await page.getByRole('list', { name: 'Images' }).getByRole('button').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('a harbour in the fog').waitFor();
    await dialog.getByText('$0.01 ').waitFor();
    await page.keyboard.press('ArrowRight');
    await dialog.getByText('a lighthouse at dusk').waitFor();
    await owner.settle();
    expect(await checkPage(owner)).toEqual([]);
    await scene.screenshot(owner, `gallery-large-${view.name}`);
  }
  // At the end of the list the button stays, and the focus with it.
  const older = page.getByRole('dialog').getByRole('button', { name: 'Older image' });
  while (await older.isEnabled()) {
    await pressButton(older);
  }
  expect(await hasFocus(owner)).toBe(true);
  await page.getByRole('link', { name: 'Edit this' }).click();
  await page.getByRole('list', { name: 'Images to edit' }).waitFor();
  expect(owner.problems.splice(0)).toEqual([]);
}

/** Reads the code of the playground in each language. */
export async function readSamples(scene: BrowserScene, owner: Visitor, views: Views): Promise<void> {
  const { page } = owner;
  await owner.open('/playground');
  for (const view of views) {
    await page.setViewportSize(view.size);
    for (const [name, line] of SAMPLES) {
      await page.getByRole('tab', { name, exact: true }).click();
      await page.getByRole('tabpanel').getByText(line).waitFor();
      expect(await checkPage(owner, { within: '[role=tabpanel]' })).toEqual([]);
    }
    await scene.screenshot(owner, `playground-samples-${view.name}`);
  }
  expect(owner.problems.splice(0)).toEqual([]);
}

/** Looks at the limits of a key that has used 80 % of a cap, and lifts the cap. */
export async function changeLimits(scene: BrowserScene, owner: Visitor, views: Views): Promise<void> {
  const { page } = owner;
  const button = page.getByRole('row', { name: /nightly batch/ }).getByRole('button', { name: 'Limits' });
  await page.setViewportSize(views[0].size);
  await owner.open('/keys');
  for (const view of views) {
    await page.setViewportSize(view.size);
    await page.getByText('$0.02 of $0.025 today, 80 %').locator('visible=true').waitFor();
  }
  await button.click();
  await page.getByRole('dialog').waitFor();
  await expectSound({ scene, visitor: owner, views }, 'key-limits');
  await page.getByLabel('Cap a day, in $').fill('1.00');
  await pressButton(page.getByRole('button', { name: 'Save limits' }));
  await page.getByText('$0.02 of $1.00 today').locator('visible=true').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await hasFocus(owner)).toBe(true);
  expect(owner.problems.splice(0)).toEqual([]);
}

/** Sends a test event, finds it in the log of deliveries, and registers an endpoint whose secret no slip of a key loses. */
export async function testWebhooks(scene: BrowserScene, owner: Visitor, views: Views): Promise<void> {
  const { page } = owner;
  await page.setViewportSize(views[0].size);
  await owner.open('/webhooks');
  const url = page.getByLabel('URL of your receiver');
  await url.fill('http://localhost:9/hook');
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByText(/localhost would be its own machine/).waitFor();
  await url.fill('https://hooks.invalid/hook');
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByText(/^No response: /).waitFor();
  const line = page.getByRole('table', { name: 'Test events' }).getByRole('row', { name: /hooks\.invalid/ });
  await line.getByText('failed', { exact: true }).waitFor();
  await page.getByLabel('URL of a new endpoint').fill('https://hooks.example/events');
  await page.getByRole('button', { name: 'Register endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^whsec_/).waitFor();
  await page.keyboard.press('Escape');
  await dialog.getByText('This cannot be shown again.').waitFor();
  await dialog.getByText(/^whsec_/).waitFor();
  expect(await checkPage(owner)).toEqual([]);
  await pressButton(dialog.getByRole('button', { name: 'I have it' }));
  await dialog.waitFor({ state: 'detached' });
  expect(await hasFocus(owner)).toBe(true);
  // A form that is empty again after its action finds no fault with that.
  const emptied = page.getByLabel('URL of a new endpoint');
  expect([await emptied.inputValue(), await emptied.getAttribute('aria-invalid')]).toEqual(['', null]);
  await expectSound({ scene, visitor: owner, views }, 'webhooks-tested');
  // The browser itself writes refused requests down.
  expect(owner.problems.splice(0).every((problem) => problem.includes('400'))).toBe(true);
}

/** Reads the usage of one key and that of the playground, by their names. */
export async function readUsage(owner: Visitor): Promise<void> {
  const { page } = owner;
  await owner.open('/playground');
  await page.getByLabel('Prompt').fill('a paper boat');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('img', { name: 'Image 1: a paper boat' }).waitFor();
  await owner.open('/usage');
  const options = await page.getByLabel('Key', { exact: true }).locator('option').allTextContents();
  expect(options).toEqual(expect.arrayContaining(['All', 'Playground', 'nightly batch']));
  expect(options.join()).not.toContain('key_');
  await page.getByLabel('Group by').selectOption('key');
  const table = page.getByRole('table', { name: 'Usage by key' });
  await table.getByText('Playground', { exact: true }).waitFor();
  await table.getByText('nightly batch', { exact: true }).waitFor();
  expect(owner.problems.splice(0)).toEqual([]);
}
