import { expect } from '@jest/globals';
import { checkPage } from './check-page.js';
import type { BrowserScene } from './open-scene.js';
import type { Visitor } from './open-visitor.js';

/** Sizes of windows that are looked at. */
type Views = readonly {
  readonly name: string;
  readonly size: { readonly width: number; readonly height: number };
}[];

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
    await dialog.getByText('$0.0100').waitFor();
    await page.keyboard.press('ArrowRight');
    await dialog.getByText('a lighthouse at dusk').waitFor();
    await owner.settle();
    expect(await checkPage(owner)).toEqual([]);
    await scene.screenshot(owner, `gallery-large-${view.name}`);
  }
  await page.getByRole('link', { name: 'Edit this' }).click();
  await page.getByRole('list', { name: 'Images to edit' }).waitFor();
  expect(owner.problems.splice(0)).toEqual([]);
}

/** Reads the code of the playground in each language. */
export async function readSamples(scene: BrowserScene, owner: Visitor, views: Views): Promise<void> {
  const { page } = owner;
  for (const view of views) {
    await page.setViewportSize(view.size);
    await owner.open('/playground');
    for (const [name, line] of SAMPLES) {
      await page.getByRole('tab', { name, exact: true }).click();
      await page.getByRole('tabpanel').getByText(line).waitFor();
      expect(await checkPage(owner)).toEqual([]);
    }
    await scene.screenshot(owner, `playground-samples-${view.name}`);
  }
  expect(owner.problems.splice(0)).toEqual([]);
}

/** Looks at the limits of a key that has used 80 % of a cap, and lifts the cap. */
export async function changeLimits(scene: BrowserScene, owner: Visitor, views: Views): Promise<void> {
  const { page } = owner;
  const button = page.getByRole('row', { name: /nightly batch/ }).getByRole('button', { name: 'Limits' });
  for (const view of views) {
    await page.setViewportSize(view.size);
    await owner.open('/keys');
    await page.getByText('$0.0200 of $0.0250 today, 80 %').locator('visible=true').waitFor();
    await button.click();
    await page.getByRole('dialog').waitFor();
    expect(await checkPage(owner)).toEqual([]);
    await scene.screenshot(owner, `key-limits-${view.name}`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await button.click();
  await page.getByLabel('Cap a day, in $').fill('1.00');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await page.getByText('$0.0200 of $1.0000 today').locator('visible=true').waitFor();
  expect(owner.problems.splice(0)).toEqual([]);
}
