import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { query } from './support/product/database.js';
import { allowedPort } from './support/product/shared-product.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';
import { type ImageServer, startImageServer } from './support/servers/image-server.js';
import type { Task } from './support/servers/wire.js';

let scene: Scene;
let customer: Customer;
let server: ImageServer;

beforeAll(async () => {
  scene = await openSharedScene();
  server = await startImageServer(await allowedPort());
  customer = await scene.customer();
}, 700_000);
afterAll(async () => {
  await scene.audit();
  await server.close();
});

async function images(task: Task): Promise<Buffer[]> {
  const get = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
  return Promise.all((task.output?.urls ?? []).map(get));
}

const plain = (background: string) =>
  sharp({ create: { width: 640, height: 360, channels: 3, background } })
    .png()
    .toBuffer();

async function meanColours(image: Buffer | undefined): Promise<{ red: number; blue: number }> {
  const { channels } = await sharp(image).removeAlpha().stats();
  return { red: channels[0]?.mean ?? 0, blue: channels[2]?.mean ?? 0 };
}

describe('images', () => {
  test.each([
    ['16:9', '1k', 1024],
    ['9:16', '1k', 1024],
    ['16:9', '2k', 2048],
    ['9:16', '4k', 4096],
  ])(
    'images in %s at %s have that shape, that size, and the format their name and type say',
    async (aspect, resolution, side) => {
      const task = await customer.client.run({ prompt: 'a lighthouse', aspect_ratio: aspect, resolution });
      const answer = await fetch(task.output?.url ?? '');
      const { width, height, format } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
      const [across = 0, down = 1] = aspect.split(':').map(Number);
      expect(Math.abs(width / height / (across / down) - 1)).toBeLessThan(0.05);
      expect(Math.max(width, height) / side).toBeGreaterThan(0.7);
      expect(Math.max(width, height) / side).toBeLessThan(1.5);
      expect(answer.headers.get('content-type')).toBe(`image/${format}`);
      expect(task.output?.url.split('.').at(-1)?.replace('jpg', 'jpeg')).toBe(format);
      const noted = await query(scene.product, 'SELECT width, height FROM task_outputs WHERE task_id = $1', [
        task.id,
      ]);
      expect(noted).toEqual([{ width, height }]);
    },
  );

  test('images of one task differ from each other', async () => {
    const all = await images(await customer.client.run({ prompt: 'four seasons', num_outputs: 4 }));
    expect(new Set(all.map((bytes) => bytes.toString('base64'))).size).toBe(4);
  });

  test('images of different prompts differ', async () => {
    const one = await images(await customer.client.run({ prompt: 'a cat' }));
    const two = await images(await customer.client.run({ prompt: 'a dog' }));
    expect(one[0]?.equals(two[0] ?? Buffer.alloc(0))).toBe(false);
  });

  test('images that are edited keep what was in the input image', async () => {
    server.put('/red.png', { bytes: await plain('#e01010') });
    server.put('/blue.png', { bytes: await plain('#1010e0') });
    const edit = (path: string) =>
      customer.client.run({ prompt: 'add a boat', image_urls: [server.url(path)] });
    const [red, blue] = await Promise.all([edit('/red.png'), edit('/blue.png')]);
    const [fromRed, fromBlue] = await Promise.all(
      [red, blue].map(async (task) => meanColours((await images(task))[0])),
    );
    expect((fromRed?.red ?? 0) - (fromBlue?.red ?? 0)).toBeGreaterThan(20);
    expect((fromBlue?.blue ?? 0) - (fromRed?.blue ?? 0)).toBeGreaterThan(20);
  });

  test('made by the gateway can be edited by their URL without any request', async () => {
    const first = await customer.client.run({ prompt: 'a boat' });
    const edit = await customer.client.run({ prompt: 'make it night', image_urls: [first.output?.url] });
    expect([edit.status, edit.type, edit.error]).toEqual(['completed', 'image_edit', undefined]);
    const [before] = await images(first);
    const [after] = await images(edit);
    expect(after?.equals(before ?? Buffer.alloc(0))).toBe(false);
  });
});
