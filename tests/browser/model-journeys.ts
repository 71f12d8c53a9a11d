import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { mustGateway } from '../acceptance/support/product/gateway.js';
import { checkPage, expectSound, type Views } from './check-page.js';
import type { BrowserScene } from './open-scene.js';
import type { Visitor } from './open-visitor.js';

/** Types the prices again that the question of a change asks for, and agrees to it. */
async function agree(question: Locator, verb: string): Promise<void> {
  const button = question.getByRole('button', { name: verb });
  await button.waitFor();
  for (const field of await question.getByRole('textbox').all()) {
    const asked = (await field.locator('xpath=..').textContent()) ?? '';
    await field.fill(/type \$([\d.]+)/.exec(asked)?.[1]?.replace(/\.$/, '') ?? '');
  }
  await button.click();
}

/** Changes a price, checks and applies a document, and goes back to the version before. */
export async function changeModels(scene: BrowserScene, operator: Visitor, views: Views): Promise<void> {
  const { page } = operator;
  await page.setViewportSize(views[0].size);
  await operator.open('/operator/models');
  await page.getByRole('link', { name: 'nanobanana-pro', exact: true }).click();
  await page.getByLabel('nanobanana-pro 4k').fill('0.5000');
  await page.getByRole('button', { name: 'Save prices' }).click();
  const question = page.getByRole('dialog');
  await question.getByText('$0.0320 → $0.5000').waitFor();
  const again = question.getByLabel('nanobanana-pro 4k: type the new price again');
  const save = question.getByRole('button', { name: 'Save' });
  await expectSound({ scene, visitor: operator, views }, 'models-leap');
  await again.fill('0.0500');
  await save.click();
  await question.getByText('A price changes by a factor of ten or more').waitFor();
  await again.fill('0.5000');
  await save.click();
  // Version 1 came with the migration, 2 is the built-in content of this release.
  await page.getByText('Saved as version 3.').waitFor();
  operator.problems.splice(0);
  await page.getByRole('link', { name: 'All models' }).click();
  await page.getByRole('cell', { name: '3', exact: true }).waitFor();
  const document = page.getByLabel('Models', { exact: true });
  await document.fill('models: { nanobanana: { colour: red } }');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('This document cannot be applied').waitFor();
  await document.fill('models: { nanobanana-pro: { price: { 1k: "0.2", 2k: "0.2", 4k: "0.4" } } }');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('Changes', { exact: true }).waitFor();
  await expectSound({ scene, visitor: operator, views }, 'models-checked');
  await page.getByRole('button', { name: /^Apply \d changes/ }).click();
  await agree(question, 'Apply');
  await page.getByRole('cell', { name: '4', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Roll back' }).first().click();
  await question.getByText('All changes of the document').waitFor();
  expect(await checkPage(operator)).toEqual([]);
  await agree(question, 'Roll back');
  await page.getByRole('cell', { name: '5', exact: true }).waitFor();
  expect(operator.problems.splice(0)).toEqual([]);
}

/**
 * Types a price and a document, each on its page. The command line applies another version meanwhile, and the price is saved on
 * top of it.
 */
export async function editBesideAnother(scene: BrowserScene, operator: Visitor, views: Views): Promise<void> {
  const { page } = operator;
  await page.setViewportSize(views[0].size);
  await operator.open('/operator/models/nanobanana');
  const typed = page.getByLabel('nanobanana 1k');
  const other = page.getByLabel('nanobanana 2k');
  await typed.fill('0.0700');
  const file = path.join(scene.product.dataDir, 'catalog.yaml');
  const apply = async (amount: string): Promise<number> => {
    writeFileSync(file, `models: { nanobanana: { price: { 1k: "0.01", 2k: "${amount}", 4k: "0.01" } } }`);
    const args = ['catalog', 'apply', file, '--replace', '--yes'];
    return (await mustGateway<{ version: number }>(scene.product, ...args)).version;
  };
  const version = await apply('0.0600');
  // The page asks again every 10 s.
  const go = page.getByRole('button', { name: `Continue with version ${version}` });
  await go.waitFor();
  expect([await typed.inputValue(), await other.inputValue()]).toEqual(['0.0700', '0.0100']);
  expect(await page.getByRole('button', { name: 'Save prices' }).isDisabled()).toBe(true);
  await expectSound({ scene, visitor: operator, views }, 'models-behind');
  await go.click();
  expect([await typed.inputValue(), await other.inputValue()]).toEqual(['0.0700', '0.0600']);
  await page.getByRole('button', { name: 'Save prices' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText(`Saved as version ${version + 1}.`).waitFor();
  expect([await typed.inputValue(), await other.inputValue()]).toEqual(['0.0700', '0.0600']);
  const saved = await mustGateway<{ source: string }>(
    scene.product,
    ...['catalog', 'show', '--version', String(version + 1)],
  );
  expect(saved.source).toContain('0.0700');
  expect(saved.source).toContain('0.0600');
  // A document that is being edited is kept too, and follows once the operator says so.
  await operator.open('/operator/models');
  const document = page.getByLabel('Models', { exact: true });
  await document.fill('# mine');
  const next = await apply('0.0500');
  await page.getByRole('button', { name: `Continue with version ${next}` }).click();
  expect(await document.inputValue()).toBe('# mine');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('Changes', { exact: true }).waitFor();
  expect(operator.problems.splice(0)).toEqual([]);
}

/**
 * Fills the form for a model: it finds what is missing, writes the lines, adds the model, and is empty again. The model then gets a cost
 * and a price of a further resolution and of a quality.
 */
export async function addModel({ page, open }: Visitor): Promise<void> {
  await open('/operator/models');
  const name = page.getByLabel('Model', { exact: true });
  const show = page.getByRole('button', { name: 'Show the lines' });
  await show.click();
  expect([await name.getAttribute('aria-invalid'), await page.getByText('These lines').count()]).toEqual([
    'true',
    0,
  ]);
  await name.fill('my-model');
  await page.getByLabel('Provider', { exact: true }).selectOption('fal');
  await page.getByLabel('Model of the provider').fill('fal-ai/x');
  await page.getByLabel('Edit', { exact: true }).check();
  await page.getByLabel('Field of the provider for input images').fill('image_url');
  await page.getByLabel('Price 1k').fill('0.05');
  await page.getByLabel('Cost 1k').fill('0.02');
  await show.click();
  await page.locator('pre', { hasText: 'options: { image_field: image_url }' }).waitFor();
  await page.getByRole('button', { name: 'Add the model' }).click();
  await page.getByText('Added with version').waitFor();
  expect([await name.inputValue(), await name.getAttribute('aria-invalid')]).toEqual(['', null]);
  await page.getByRole('link', { name: 'my-model', exact: true }).click();
  const prices = page.getByRole('group', { name: 'my-model' });
  await prices.getByLabel('On offer').waitFor();
  await page.getByRole('button', { name: 'Change routes' }).click();
  await page.getByRole('button', { name: 'Edit fal fal-ai/x' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Cost 2k').fill('0.03');
  await dialog.getByLabel('Further cost').selectOption('4k high');
  await dialog.getByRole('button', { name: 'Add cost' }).click();
  await dialog.getByLabel('Cost 4k high').fill('0.04');
  await dialog.getByRole('button', { name: 'Take over' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Save routes' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^Saved as version/).waitFor();
  const addPrice = async (offer: string): Promise<void> => {
    await prices.getByLabel('Further price').selectOption(offer);
    await prices.getByRole('button', { name: 'Add price' }).click();
    await prices.getByLabel(`my-model ${offer}`).fill('0.09');
    await page.getByRole('button', { name: 'Save prices' }).click();
  };
  await addPrice('4k high');
  await page.getByText('models.my-model.price.4k.high: no route offers it').first().waitFor();
  await prices.getByLabel('my-model 4k high').fill('');
  await addPrice('2k');
  await dialog.getByText('2k: not sold → $0.0900').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page
    .getByRole('table', { name: 'Price and cost' })
    .getByRole('row', { name: /^2k \$0\.09/ })
    .waitFor();
}

/**
 * Adds a route to a model: what is wrong with it stands at its fields. It is moved by keyboard and saved, and removed again; a version
 * that the command line applies meanwhile is told.
 */
export async function changeRoutes(scene: BrowserScene, operator: Visitor, views: Views): Promise<void> {
  const { page } = operator;
  await page.setViewportSize(views[0].size);
  await operator.open('/operator/models/nanobanana');
  await page.getByRole('button', { name: 'Change routes' }).click();
  await page.getByText('These are the built-in routes').waitFor();
  const list = page.getByRole('list').filter({ hasText: 'gemini-nano-banana-2.1' });
  const before = await list.getByRole('listitem').count();
  await page.getByRole('button', { name: 'Add a route' }).click();
  const form = page.getByRole('dialog');
  const take = form.getByRole('button', { name: 'Add to the list' });
  await form.getByLabel('Provider', { exact: true }).selectOption('sandbox');
  await form.getByLabel('Model of the provider').fill('practice');
  await form.getByLabel('Cost 1k').fill('1 cent');
  await take.click();
  await form.getByRole('alert').filter({ hasText: 'must be dollars' }).waitFor();
  for (const view of views) {
    await page.setViewportSize(view.size);
    expect(await checkPage(operator)).toEqual([]);
    await scene.screenshot(operator, `routes-add-${view.name}`);
  }
  await form.getByLabel('Cost 1k').fill('0.0010');
  await take.click();
  await form.waitFor({ state: 'detached' });
  const added = list.getByRole('listitem').filter({ hasText: 'practice' });
  await added.getByText('new', { exact: true }).waitFor();
  for (let step = 0; step < before; step += 1) {
    const up = added.getByRole('button', { name: 'Move up sandbox practice' });
    await (step === 0 ? up.focus() : Promise.resolve());
    await page.keyboard.press('Enter');
    await page.getByText(`sandbox practice stands at place ${before - step} of ${before + 1}.`).waitFor();
    const focused = await page.evaluate<string>('document.activeElement.textContent');
    expect(focused).toBe('Move up sandbox practice');
  }
  const save = page.getByRole('button', { name: 'Save routes' });
  await save.click();
  const question = page.getByRole('dialog');
  await question.getByText('Its routes change, also for its open tasks.').waitFor();
  for (const view of views) {
    await page.setViewportSize(view.size);
    expect(await checkPage(operator)).toEqual([]);
    await scene.screenshot(operator, `routes-question-${view.name}`);
  }
  await question.getByRole('button', { name: 'Save' }).click();
  const saved = page.getByText(/^Saved as version \d+\./);
  await saved.waitFor();
  const expectNote = async (note: string): Promise<{ readonly source: string }> => {
    const version = /\d+/.exec((await saved.textContent()) ?? '')?.[0] ?? '';
    const command = ['catalog', 'show', '--version', version];
    const shown = await mustGateway<{ source: string; note: string }>(scene.product, ...command);
    expect(shown.note).toBe(note);
    return shown;
  };
  const shown = await expectNote('Routes of nanobanana: sandbox practice added');
  expect(shown.source).toMatch(/routes:[\s[-]*{ provider: sandbox, model: practice, cost: { 1k: "0.0010" }/);
  for (const view of views) {
    await page.setViewportSize(view.size);
    expect(await checkPage(operator)).toEqual([]);
    await scene.screenshot(operator, `routes-saved-${view.name}`);
  }
  await added.getByRole('button', { name: 'Remove' }).click();
  // Another version comes in between, as by the command line: the list is kept, and not saved over it.
  await mustGateway(scene.product, 'catalog', 'set-price', 'nanobanana', '1k', '0.0150');
  const again = page.getByRole('button', { name: /^Start again with version/ });
  await again.waitFor();
  expect(await save.isDisabled()).toBe(true);
  await again.click();
  await added.getByRole('button', { name: 'Remove' }).click();
  await save.click();
  await question.getByText('sandbox practice').first().waitFor();
  await question.getByRole('button', { name: 'Save' }).click();
  // The question lists routes too, until it has faded.
  await question.waitFor({ state: 'detached' });
  await added.waitFor({ state: 'detached' });
  await saved.waitFor();
  await expectNote('Routes of nanobanana: sandbox practice removed');
  expect(operator.problems.splice(0)).toEqual([]);
}
