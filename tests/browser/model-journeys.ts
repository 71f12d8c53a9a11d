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

/** Fills the form for a model: it finds what is missing, writes the lines, adds the model, and is empty again. */
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
  await page.getByRole('group', { name: 'my-model' }).getByLabel('On offer').waitFor();
}
