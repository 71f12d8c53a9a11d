import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { projectRoot } from '../acceptance/support/product/product.js';
import type { BrowserScene } from './open-scene.js';
import type { Visitor } from './open-visitor.js';
import { drawInput } from './playground-journeys.js';

/** Languages of the playground's code, with what runs it. */
export const LANGUAGES = [
  ['curl', 'request.sh', 'bash'],
  ['JavaScript', 'request.mjs', process.execPath],
  ['Python', 'request.py', 'python3'],
  ['OpenAI SDK', 'request.mjs', process.execPath],
] as const;

const run = promisify(execFile);

interface Drawn {
  readonly id: string;
  readonly has_mask: boolean;
  readonly prompt: string;
  readonly type: string;
}

/**
 * Edits a file of this computer, with a mask and then without one, by the code of the playground in one language. Copied as it stands,
 * the code has the gateway draw what the form asks for.
 */
export async function runSamples(
  scene: BrowserScene,
  owner: Visitor,
  [name, file, program]: (typeof LANGUAGES)[number],
): Promise<void> {
  const { page } = owner;
  const prompt = `sandbox:fixed it's "night" in ${name}`;
  await owner.open('/playground');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ]);
  const input = await drawInput('#c00');
  await chooser.setFiles([{ name: "ann's red.png", mimeType: 'image/png', buffer: input }]);
  await page.getByRole('img', { name: 'Image 1 to edit' }).waitFor();
  await page.getByLabel('Prompt').fill(prompt);
  await page.getByRole('button', { name: 'Paint a mask' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Mask:/ })
    .focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Use this mask' }).click();

  // Below the checkout, where the package of OpenAI is found.
  const folder = path.join(projectRoot, '.cache/samples');
  mkdirSync(folder, { recursive: true });
  const cwd = mkdtempSync(path.join(folder, 'run-'));
  writeFileSync(path.join(cwd, 'ann_s_red.png'), input);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Save mask.png' }).click(),
  ]);
  await download.saveAs(path.join(cwd, download.suggestedFilename()));
  await page.getByRole('tab', { name, exact: true }).click();
  const env = { ...process.env, IMAGE_GATEWAY_KEY: scene.product.run().demo.apiKey };
  const draw = async (): Promise<Drawn> => {
    // For a moment the panel before is still there.
    const panel = page.getByRole('tabpanel', { name, exact: true });
    writeFileSync(path.join(cwd, file), (await panel.locator('pre').textContent()) ?? '');
    const { stdout } = await run(program, [file], { cwd, env, timeout: 30_000 });
    const read = async <T>(address: string): Promise<T> => {
      const { data } = await (await page.request.get(`${scene.dashboardUrl}/api${address}`)).json();
      return data as T;
    };
    const { items } = await read<{ items: readonly { id: string }[] }>('/tasks?per_page=1');
    const id = items[0]?.id ?? '';
    expect(stdout).toContain(id);
    return read<Drawn>(`/tasks/${id}`);
  };
  const masked = await draw();
  await page.getByRole('button', { name: 'Remove the mask' }).click();
  const plain = await draw();
  rmSync(cwd, { recursive: true });
  for (const [task, hasMask] of [
    [masked, true],
    [plain, false],
  ] as const) {
    expect(task).toMatchObject({ has_mask: hasMask, prompt, type: 'image_edit' });
  }
  expect(plain.id).not.toBe(masked.id);
  expect(owner.problems.splice(0)).toEqual([]);
}
