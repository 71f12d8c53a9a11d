import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { expectError } from './support/expect-error.js';
import { readMoney } from './support/product/accounts.js';
import { allowedPort } from './support/product/shared-product.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';
import { type ImageServer, startImageServer } from './support/servers/image-server.js';

let scene: Scene;
let customer: Customer;
let server: ImageServer;
let canary: ImageServer;

const image = (width = 64, height = 36) =>
  sharp({ create: { width, height, channels: 3, background: '#3080c0' } });

beforeAll(async () => {
  scene = await openSharedScene();
  server = await startImageServer(await allowedPort());
  canary = await startImageServer(); // on a port that the gateway may not call
  canary.put('/a.png', { bytes: await image().png().toBuffer() });
  server.put('/good.png', { bytes: await image().png().toBuffer() });
  customer = await scene.customer();
}, 700_000);
afterAll(async () => {
  await scene.audit();
  await Promise.all([server.close(), canary.close()]);
});

const edit = (...image_urls: string[]) => customer.client.run({ prompt: 'sandbox:fixed', image_urls });

async function expectUnreadable(urls: string[], index: number, why: RegExp): Promise<void> {
  const task = await edit(...urls);
  expect([task.status, task.cost, task.output]).toEqual(['failed', '$0.00', undefined]);
  expect(task.error).toMatch(new RegExp(`^image_urls\\[${index}\\]: `));
  expect(task.error).toMatch(why);
  expect(task.error).not.toMatch(/127\.0\.0\.1|localhost|ECONN|sharp|axios|http/i);
}

describe('an input image is read', () => {
  test.each([
    ['PNG', async () => image().png().toBuffer()],
    ['JPEG', async () => image().jpeg().toBuffer()],
    ['WebP', async () => image().webp().toBuffer()],
  ])('an input image is read as %s by its content, whatever its type and name say', async (name, make) => {
    server.put(`/${name}`, { bytes: await make(), type: 'text/plain' });
    expect((await edit(server.url(`/${name}`))).status).toBe('completed');
    expect(server.requests(`/${name}`)).toBeGreaterThan(0);
  });

  test('nine times in one request', async () => {
    expect((await edit(...Array<string>(9).fill(server.url('/good.png')))).status).toBe('completed');
  });

  test('through three redirects', async () => {
    for (const hop of [1, 2, 3]) {
      server.put(`/hop${hop}`, { redirect: server.url(hop === 3 ? '/good.png' : `/hop${hop + 1}`) });
    }
    expect((await edit(server.url('/hop1'))).status).toBe('completed');
  });
});

describe('a task fails at $0.00 and names the input image that', () => {
  const good = () => server.url('/good.png');

  test('a task fails at $0.00 and names the input image that does not exist', () =>
    expectUnreadable([good(), server.url('/missing.png')], 1, /could not be fetched/i));

  test('a task fails at $0.00 and names the input image that is no image', async () => {
    server.put('/text', { bytes: Buffer.from('<html>no image</html>'), type: 'image/png' });
    await expectUnreadable([server.url('/text')], 0, /not a PNG, JPEG or WebP/i);
  });

  test('a task fails at $0.00 and names the input image that is an image of another kind', async () => {
    server.put('/gif', { bytes: await image().gif().toBuffer(), type: 'image/png' });
    server.put('/svg', {
      bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      type: 'image/png',
    });
    await expectUnreadable([good(), good(), server.url('/gif')], 2, /not a PNG, JPEG or WebP/i);
    await expectUnreadable([server.url('/svg')], 0, /not a PNG, JPEG or WebP/i);
  });

  test('a task fails at $0.00 and names the input image that is cut off or empty', async () => {
    const bytes = await image(400, 400).png().toBuffer();
    server.put('/cut', { bytes: bytes.subarray(0, bytes.length / 2) });
    server.put('/empty', { bytes: Buffer.alloc(0) });
    await expectUnreadable([server.url('/cut')], 0, /is damaged/);
    await expectUnreadable([server.url('/empty')], 0, /not a PNG, JPEG or WebP|could not be/i);
  });

  test('a task fails at $0.00 and names the input image that has more than 10 MiB', async () => {
    const bytes = Buffer.concat([await image().png().toBuffer(), Buffer.alloc(10 * 1024 * 1024)]);
    server.put('/large', { bytes });
    await expectUnreadable([server.url('/large')], 0, /too large/i);
  });

  test('a task fails at $0.00 and names the input image that has more than 40 megapixels', async () => {
    server.put('/pixels', { bytes: await image(8_000, 5_100).png().toBuffer() });
    await expectUnreadable([server.url('/pixels')], 0, /too many pixels/i);
  });

  test('hides behind a fourth redirect', async () => {
    for (const hop of [1, 2, 3, 4]) {
      server.put(`/far${hop}`, { redirect: server.url(hop === 4 ? '/good.png' : `/far${hop + 1}`) });
    }
    await expectUnreadable([server.url('/far1')], 0, /could not be fetched/i);
  });

  test('a task fails at $0.00 and names the input image that is a result of the gateway that does not exist', async () => {
    const first = await customer.client.run({ prompt: 'sandbox:fixed' });
    const missing = String(first.output?.url).replace('/0.', '/3.');
    await expectUnreadable([String(first.output?.url), missing], 1, /could not be fetched/i);
  });

  test('redirects to a private address, which sees no connection', async () => {
    server.put('/inward', { redirect: canary.url('/a.png') });
    server.put('/metadata', { redirect: 'http://169.254.169.254/latest/meta-data/' });
    server.put('/name', { redirect: `http://localhost:${canary.port}/a.png` });
    await expectUnreadable([server.url('/inward')], 0, /could not be fetched/i);
    await expectUnreadable([server.url('/metadata')], 0, /could not be fetched/i);
    await expectUnreadable([server.url('/name')], 0, /could not be fetched/i);
    expect(canary.connections()).toBe(0);
  });

  test('lies on this machine by name: the request is refused and no connection is made', async () => {
    const image_urls = [`http://localhost:${canary.port}/a.png`];
    expectError(
      await customer.client.generate({ prompt: 'sandbox:fixed', image_urls }),
      400,
      'VALIDATION_ERROR',
    );
    expect(canary.connections()).toBe(0);
  });

  test('tasks that fail for their input images are not charged', async () => {
    const buyer = await scene.customer('0.10');
    await buyer.client.run({
      prompt: 'sandbox:fixed',
      num_outputs: 4,
      image_urls: [server.url('/missing.png')],
    });
    expect(await readMoney(scene.product, buyer.id)).toEqual({ balance: '$0.1000', held: '$0.00' });
  });
});
