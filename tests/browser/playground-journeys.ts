import path from 'node:path';
import { expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import sharp from 'sharp';
import { projectRoot } from '../acceptance/support/product/product.js';
import { checkPage } from './check-page.js';
import type { BrowserScene } from './open-scene.js';
import type { Visitor } from './open-visitor.js';

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** Draws a image of one colour. */
export async function drawInput(background: string): Promise<Buffer> {
  return sharp({ create: { width: 320, height: 240, channels: 3, background } })
    .png()
    .toBuffer();
}

const toFile = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/png', buffer });

/**
 * Edits two images from disk with the keyboard alone: chooses them, changes their order, paints a mask, generates, and edits
 * the result.
 */
export async function editByKeyboard(scene: BrowserScene, owner: Visitor): Promise<void> {
  const { page } = owner;
  await page.setViewportSize(DESK);
  await owner.open('/playground');
  const press = async (name: string, key = 'Enter'): Promise<void> => {
    await page.getByRole('button', { name, exact: true }).focus();
    await page.keyboard.press(key);
  };
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press('Choose files')]);
  await chooser.setFiles([
    toFile('red.png', await drawInput('#c00')),
    toFile('blue.png', await drawInput('#00c')),
  ]);
  const list = page.getByRole('list', { name: 'Images to edit' });
  // The second upload may end first.
  await list.getByRole('img', { name: 'Image 1 to edit' }).waitFor();
  await list.getByRole('img', { name: 'Image 2 to edit' }).waitFor();
  const sources = () =>
    list.locator('img').evaluateAll((images) => images.map((one) => one.getAttribute('src')));
  const before = await sources();
  await press('Move image 2 forward');
  expect(await sources()).toEqual([...before].reverse());

  await press('Paint a mask');
  const dialog = page.getByRole('dialog', { name: 'Paint a mask' });
  await dialog.getByRole('button', { name: /^Mask:/ }).focus();
  for (const key of ['ArrowRight', 'ArrowDown', 'Space', 'ArrowLeft', 'Space']) {
    await page.keyboard.press(key);
  }
  expect(await checkPage(owner)).toEqual([]);
  await scene.screenshot(owner, 'playground-mask-desk');
  await press('Use this mask');
  await page.getByRole('button', { name: 'Remove the mask' }).waitFor();

  await page.getByLabel('Prompt').focus();
  await page.keyboard.type('make it night');
  await press('Roll a seed');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('img', { name: 'Image 1: make it night' }).waitFor();
  await owner.settle();
  await scene.screenshot(owner, 'playground-edited-desk');

  await press('Edit this one');
  await page.getByLabel('Prompt').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('add snow');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('img', { name: 'Image 1: add snow' }).waitFor();
  const strip = page.getByRole('navigation', { name: 'Earlier runs' });
  await strip.getByRole('button', { name: 'Show: make it night' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: 'Image 1: make it night' }).waitFor();
  await owner.settle();
  expect(await checkPage(owner)).toEqual([]);
  await scene.screenshot(owner, 'playground-session-desk');
  expect(owner.problems.splice(0)).toEqual([]);
}

/** Edits images on a phone: drops two, removes one, paints a mask by hand, generates, and asks for variations. */
export async function editOnPhone(scene: BrowserScene, owner: Visitor): Promise<void> {
  const { page } = owner;
  await page.setViewportSize(PHONE);
  await owner.open('/playground');
  const images = [await drawInput('#0a0'), await drawInput('#aa0')].map((one) => one.toString('base64'));
  const transfer = await page.evaluateHandle(
    `(() => {
      const transfer = new DataTransfer();
      for (const [index, text] of ${JSON.stringify(images)}.entries()) {
        const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
        transfer.items.add(new File([bytes], 'dropped-' + index + '.png', { type: 'image/png' }));
      }
      return transfer;
    })()`,
  );
  await page.getByText('Drop or paste images here').dispatchEvent('drop', { dataTransfer: transfer });
  const list = page.getByRole('list', { name: 'Images to edit' });
  await list.getByRole('img', { name: 'Image 2 to edit' }).waitFor();
  await page.getByRole('button', { name: 'Remove image 2' }).click();
  expect(await list.getByRole('listitem').count()).toBe(1);

  // Price and button stay in sight, wherever the page is.
  const generate = page.getByRole('button', { name: 'Generate' });
  await page.evaluate('window.scrollTo(0, 0)');
  const box = await generate.boundingBox();
  expect(box && box.y + box.height).toBeLessThanOrEqual(PHONE.height);

  await page.getByRole('button', { name: 'Paint a mask' }).click();
  const surface = page.getByRole('dialog').getByRole('button', { name: /^Mask:/ });
  const place = await surface.boundingBox();
  if (!place) {
    throw new Error('there is nothing to paint on');
  }
  await page.mouse.move(place.x + place.width / 4, place.y + place.height / 4);
  await page.mouse.down();
  await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2, { steps: 4 });
  await page.mouse.up();
  expect(await checkPage(owner)).toEqual([]);
  await scene.screenshot(owner, 'playground-mask-phone');
  await page.getByRole('button', { name: 'Use this mask' }).click();
  await page.getByLabel('Prompt').fill('a green door');
  await generate.click();
  const result = page.getByRole('img', { name: 'Image 1: a green door' });
  await result.waitFor();
  const seen = await result.boundingBox();
  expect(seen?.y).toBeLessThan(PHONE.height);
  await page.getByRole('button', { name: /variations/ }).click();
  await page.getByRole('img', { name: 'Image 4: a green door' }).waitFor();
  await owner.settle();
  expect(await checkPage(owner)).toEqual([]);
  await scene.screenshot(owner, 'playground-variations-phone');
  expect(owner.problems.splice(0)).toEqual([]);
}

/** Reloads and shares the address of a run: form, files, mask and images are there again, for this account alone. */
export async function comeBackToRun(scene: BrowserScene, owner: Visitor): Promise<void> {
  const { page } = owner;
  await page.setViewportSize(DESK);
  await owner.open('/playground');
  await page.getByLabel('Prompt').fill('a gate');
  await page.getByRole('button', { name: 'Generate' }).click();
  await page.getByRole('img', { name: 'Image 1: a gate' }).waitFor();
  await page.reload();
  await page.getByRole('img', { name: 'Image 1: a gate' }).waitFor();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ]);
  const square = await sharp({ create: { width: 240, height: 320, channels: 3, background: '#0cc' } })
    .png()
    .toBuffer();
  await chooser.setFiles([toFile('tall.png', square)]);
  const images = page.getByRole('list', { name: 'Images to edit' });
  await images.getByRole('img', { name: 'Image 1 to edit' }).waitFor();
  // An edit keeps the shape of its first image, as far as the model has it.
  await page.getByLabel('Shape').locator('option:checked[value="9:16"]').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Paint a mask' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Mask:/ }).focus();
  await page.keyboard.press('Space');
  await dialog.getByRole('button', { name: 'Use this mask' }).click();
  await page.getByLabel('Prompt').fill('a blue gate');
  await page.getByLabel('What to avoid').fill('people');
  await page.getByLabel('Images', { exact: true }).selectOption('4');
  await page.getByRole('textbox', { name: 'Seed' }).fill('7');
  await page.getByRole('button', { name: 'Generate' }).click();
  await page.getByRole('img', { name: 'Image 4: a blue gate' }).waitFor();
  const [first, second] = await Promise.all(
    [1, 2].map((n) => page.getByRole('img', { name: `Image ${n}: a blue gate` }).boundingBox()),
  );
  expect(second?.y).toBe(first?.y);
  const address = page.url();
  expect(new URL(address).searchParams.get('run')).toMatch(/^gen_/);

  const isRestored = async (): Promise<void> => {
    await page.getByRole('img', { name: 'Image 4: a blue gate' }).waitFor();
    await page.getByRole('button', { name: 'Remove the mask' }).waitFor();
    await images.getByRole('img', { name: 'Image 1 to edit' }).waitFor();
    const read = (label: string) => page.getByLabel(label, { exact: true }).inputValue();
    expect({
      prompt: await read('Prompt'),
      avoid: await read('What to avoid'),
      count: await read('Images'),
      seed: await page.getByRole('textbox', { name: 'Seed' }).inputValue(),
      shape: await read('Shape'),
    }).toEqual({ prompt: 'a blue gate', avoid: 'people', count: '4', seed: '7', shape: '9:16' });
  };
  await page.reload();
  await isRestored();
  for (const [name, size] of [['desk', DESK] as const, ['phone', PHONE] as const]) {
    await page.setViewportSize(size);
    await owner.settle();
    expect(await checkPage(owner)).toEqual([]);
    await scene.screenshot(owner, `playground-run-${name}`);
  }
  await page.setViewportSize(DESK);

  // A look at an earlier run loses nothing that is typed; only a button fills the form with that one.
  await owner.open('/playground');
  await page.getByLabel('Prompt').fill('something new');
  await page.getByRole('button', { name: 'Show: a blue gate' }).click();
  await page.getByRole('img', { name: 'Image 4: a blue gate' }).waitFor();
  expect(await page.getByLabel('Prompt').inputValue()).toBe('something new');
  await page.getByRole('button', { name: 'Back into the form' }).click();
  await isRestored();
  await page.goBack();
  await page.getByText('Your image appears here').waitFor();

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.goForward().then(() => page.getByRole('link', { name: 'Download image 2' }).click()),
  ]);
  expect(download.suggestedFilename()).toMatch(/^gen_\w+-1\.(png|jpg|webp)$/);
  expect(owner.problems.splice(0)).toEqual([]);

  const stranger = await scene.visitor();
  await stranger.logIn(scene.product.run().operator ?? { email: '', password: '' });
  await stranger.page.goto(address);
  await stranger.settle();
  expect(await stranger.page.content()).not.toContain('a blue gate');
}

/** Compares two models, reads prices and an example of each, and tries one: the prompt has the focus. */
export async function compareModels(owner: Visitor): Promise<void> {
  const { page } = owner;
  await page.setViewportSize(DESK);
  await owner.open('/models');
  await page.getByLabel('Compare with').selectOption('nanobanana-pro');
  const table = page.getByRole('table', { name: 'Nano Banana beside Nano Banana Pro' });
  const prices = table.getByRole('row', { name: /^Price of an image/ }).getByRole('cell');
  expect(await prices.allInnerTexts()).toEqual([
    'Price of an image',
    expect.stringMatching(/^1k\s+\$0\.01\s+2k\s+\$0\.01\s+4k\s+\$0\.01$/),
    expect.stringMatching(/^1k\s+\$0\.016\s+2k\s+\$0\.016\s+4k\s+\$0\.032$/),
  ]);
  await page.getByText('"model":"nanobanana-pro"').waitFor();
  // The address keeps what is compared.
  await page.reload();
  await table.getByRole('link', { name: 'Try Nano Banana Pro in the playground' }).press('Enter');
  const model = page.getByLabel('Model', { exact: true });
  await model.locator('option:checked', { hasText: 'Nano Banana Pro' }).waitFor({ state: 'attached' });
  await page.waitForFunction("document.activeElement?.tagName === 'TEXTAREA'");
  expect(owner.problems.splice(0)).toEqual([]);
}

/** Sees why a run waits, cancels one, and sees its provider fail. */
export async function waitAndCancel(scene: BrowserScene, owner: Visitor): Promise<void> {
  const { page } = owner;
  await page.setViewportSize(DESK);
  await owner.open('/playground');
  await page.getByLabel('Prompt').fill('sandbox:fail=upstream');
  await page.getByLabel('Prompt').press('Control+Enter');
  await page.getByText(/^The provider failed; next try in \d+ s, 2 of 3 · \d+ s$/).waitFor();
  expect(await checkPage(owner)).toEqual([]);
  await scene.screenshot(owner, 'playground-waiting-desk');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText(/canceled.* Nothing was charged\./i).waitFor();
  await page.getByLabel('Prompt').fill('sandbox:delay=5000 a slow one');
  await page.getByLabel('Prompt').press('Control+Enter');
  await page.getByText(/^Generating · \d+ s$/).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText(/^Canceling: what the provider still delivers is charged/).waitFor();
  await page.getByRole('button', { name: 'Again' }).waitFor();
  expect(await checkPage(owner)).toEqual([]);
  expect(owner.problems.splice(0)).toEqual([]);
}

/** Is refused for money on a desk and on a phone, sees it beside the button, keeps the focus, and asks for credit. */
export async function seeRefusal(scene: BrowserScene, poor: Visitor): Promise<void> {
  const { page } = poor;
  for (const [name, size] of [['desk', DESK] as const, ['phone', PHONE] as const]) {
    await page.setViewportSize(size);
    await poor.open('/playground');
    await page.getByLabel('Prompt').fill('a fox');
    // The next stops of the keyboard are above the bar, which hides none of them.
    for (let stop = 0; stop < 12; stop += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate<string>(COVERED)).toBe('');
    }
    const generate = page.getByRole('button', { name: 'Generate' });
    await generate.focus();
    await page.keyboard.press('Enter');
    const refusal = page.getByText('The balance does not cover this request, which costs $0.01');
    await refusal.waitFor();
    await expectInView(refusal);
    expect(await hasFocus(generate)).toBe(true);
    expect(await checkPage(poor)).toEqual([]);
    await page.screenshot({
      path: path.join(projectRoot, `.cache/screenshots/playground-refused-${name}.png`),
    });
    await expectInView(page.getByRole('button', { name: 'Ask for credit' }));
  }
  const ask = page.getByRole('button', { name: 'Ask for credit' });
  await ask.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByLabel('Note').fill('for a fox');
  await page.keyboard.press('Enter');
  await page.getByText('The operator has your request.').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await hasFocus(ask)).toBe(true);
  // The form below the dialog was not sent with it.
  expect(await page.getByText('Your image appears here').count()).toBe(1);
  for (const [name, size] of [['desk', DESK] as const, ['phone', PHONE] as const]) {
    await page.setViewportSize(size);
    await poor.open('');
    await page.getByText('The balance does not cover an image: the cheapest costs $0.01.').waitFor();
    await expectInView(page.getByRole('button', { name: 'Ask for credit' }));
    expect(await checkPage(poor)).toEqual([]);
    await scene.screenshot(poor, `overview-low-${name}`);
  }
  // The browser itself writes refused requests down.
  expect(poor.problems.splice(0).every((problem) => problem.includes('403'))).toBe(true);
}

/** Names the element with the focus if something else lies over its middle. */
const COVERED = `(() => {
  const one = document.activeElement;
  const { x, y, width, height } = one.getBoundingClientRect();
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  return top !== null && (one.contains(top) || top.contains(one)) ? '' : one.outerHTML.slice(0, 200);
})()`;

const hasFocus = (element: Locator): Promise<boolean> =>
  element.evaluate((one: unknown) => {
    const { document } = globalThis as unknown as { document: { activeElement: unknown } };
    return one === document.activeElement;
  });

/** Expects that an element is inside of the window, without scrolling to it. */
async function expectInView(element: Locator): Promise<void> {
  const box = await element.boundingBox();
  const height = element.page().viewportSize()?.height ?? 0;
  expect({ isAbove: (box?.y ?? -1) < 0, isBelow: (box ? box.y + box.height : Infinity) > height }).toEqual({
    isAbove: false,
    isBelow: false,
  });
}

/** Sees what is wrong beside its field: a file that is no image, and a seed that no route takes. */
export async function seeFaults(scene: BrowserScene, owner: Visitor): Promise<void> {
  const { page } = owner;
  await page.setViewportSize(DESK);
  await owner.open('/playground');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ]);
  await chooser.setFiles([
    toFile('broken.png', Buffer.from('no image')),
    { ...toFile('script.mjs', Buffer.from('1')), mimeType: 'text/javascript' },
    toFile('large.png', Buffer.alloc(10 * 1024 * 1024 + 1)),
  ]);
  // Types and sizes are judged before an upload.
  await page.getByText('script.mjs is left out: it is not a PNG, JPEG or WebP image.').waitFor();
  await page.getByText('large.png is left out: an image has at most 10 MiB, and is not empty.').waitFor();
  await page.getByText('broken.png: file is not a PNG, JPEG or WebP image.').waitFor();
  expect(await page.getByRole('button', { name: 'Generate' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Remove image 1' }).click();
  await page.getByLabel('Prompt').fill('a fox');
  await page.getByRole('textbox', { name: 'Seed' }).fill('99999999999');
  await page.getByRole('button', { name: 'Generate' }).click();
  const seed = page.getByRole('textbox', { name: 'Seed' });
  // Beside the field, and in the bar that stays in sight.
  await page
    .getByText(/^seed must be/)
    .nth(1)
    .waitFor();
  expect(await seed.getAttribute('aria-invalid')).toBe('true');
  expect(await hasFocus(seed)).toBe(true);
  await expectInView(page.getByText(/^seed must be/).last());
  await expectInView(seed);
  expect(await checkPage(owner)).toEqual([]);
  await scene.screenshot(owner, 'playground-faults-desk');
  // The browser itself writes refused requests down.
  expect(owner.problems.splice(0).every((problem) => problem.includes('400'))).toBe(true);
}
