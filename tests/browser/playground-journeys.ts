import { expect } from '@jest/globals';
import sharp from 'sharp';
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

/** Edits two images from disk with the keyboard alone: chooses them, changes their order, paints a mask, generates, and edits the result. */
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

  await page.getByLabel('What to change').focus();
  await page.keyboard.type('make it night');
  await press('Roll a seed');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('img', { name: 'Image 1: make it night' }).waitFor();
  await owner.settle();
  await scene.screenshot(owner, 'playground-edited-desk');

  await press('Edit this one');
  await page.getByLabel('What to change').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('add snow');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('img', { name: 'Image 1: add snow' }).waitFor();
  const strip = page.getByRole('navigation', { name: 'Results of this session' });
  await strip.getByRole('button', { name: /^Result 1:/ }).focus();
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
  await page.getByLabel('What to change').fill('a green door');
  await generate.click();
  const result = page.getByRole('img', { name: 'Image 1: a green door' });
  await result.waitFor();
  const seen = await result.boundingBox();
  expect(seen && seen.y).toBeLessThan(PHONE.height);
  await page.getByRole('button', { name: /variations/ }).click();
  await page.getByRole('img', { name: 'Image 4: a green door' }).waitFor();
  await owner.settle();
  expect(await checkPage(owner)).toEqual([]);
  await scene.screenshot(owner, 'playground-variations-phone');
  expect(owner.problems.splice(0)).toEqual([]);
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
  await chooser.setFiles([toFile('broken.png', Buffer.from('no image'))]);
  await page.getByText('broken.png: file is not a PNG, JPEG or WebP image.').waitFor();
  expect(await page.getByRole('button', { name: 'Generate' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Remove image 1' }).click();
  await page.getByLabel('Prompt').fill('a fox');
  await page.getByRole('textbox', { name: 'Seed' }).fill('99999999999');
  await page.getByRole('button', { name: 'Generate' }).click();
  const seed = page.getByRole('textbox', { name: 'Seed' });
  await page.getByText(/^seed must be/).waitFor();
  expect(await seed.getAttribute('aria-invalid')).toBe('true');
  expect(await checkPage(owner)).toEqual([]);
  await scene.screenshot(owner, 'playground-faults-desk');
  // The browser itself writes refused requests down.
  expect(owner.problems.splice(0).every((problem) => problem.includes('400'))).toBe(true);
}
