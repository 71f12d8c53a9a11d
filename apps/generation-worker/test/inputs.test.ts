import { settleTask } from '@image-gateway/shared/billing';
import { addOutput, deleteEndedTask } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { eventually, type Receiver, startReceiver } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { drawImage } from './support/draw-image.js';
import { deliver, failWith, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { createWorld, type TestWorker, type World } from './support/world.js';

let world: World;
let host: Receiver;
let worker: TestWorker | undefined;
const files = new Map<string, { status?: number; bytes: Buffer; location?: string; once?: boolean }>();

beforeAll(async () => {
  world = await createWorld();
  host = await startReceiver((response, { path }) => {
    const file = files.get(path);
    if (file?.once) {
      files.set(path, { bytes: file.bytes });
    }
    if (!file) {
      response.writeHead(404).end('not here');
    } else if (file.location) {
      response.writeHead(302, { location: file.location }).end();
    } else {
      response.writeHead(file.status ?? 200, { 'content-type': 'text/plain' }).end(file.bytes);
    }
  });
  files.set('/a.png', { bytes: await drawImage('#ff0000', { width: 120, height: 90 }) });
  files.set('/b.jpg', { bytes: await drawImage('#00ff00', { format: 'jpeg' }) });
  files.set('/c.webp', { bytes: await drawImage('#0000ff', { format: 'webp' }) });
});
afterEach(async () => {
  await worker?.stop();
  await world.test.checkInvariants('rest');
});
afterAll(async () => {
  await host.close();
  await world.close();
});

function start(script = deliver as Parameters<typeof scriptedProvider>[0]) {
  const provider = scriptedProvider(script);
  worker = world.start(routerOver(provider), { settings: { OUTBOUND_ALLOW: host.hostPort } });
  return provider;
}
const at = (path: string) => (path.startsWith('/') ? `${host.url}${path}` : path);
const edit = (...paths: string[]) => world.submit({ image_urls: paths.map(at) });
const failsWith = async (paths: string[], error: string) => {
  const provider = start();
  const id = await edit(...paths);
  expect(await world.ended(id)).toMatchObject({ status: 'failed', error, cost_micros: '0', call_count: 0 });
  expect(provider.requests).toHaveLength(0);
};

/** A task that an operator has failed after its image was stored, before the image is removed. */
async function failedWithImage(): Promise<string> {
  const id = await world.submit();
  const key = `images/${id}/0.png`;
  await world.store.put(key, await drawImage('#fff'), { contentType: 'image/png' });
  const output = {
    index: 0,
    slot: 0,
    key,
    contentType: 'image/png',
    bytes: 1,
    width: 1,
    height: 1,
    sha256: '',
  };
  expect(await addOutput(world.test.db, { taskId: id, attempt: 0 }, output)).toBe(true);
  const deps = { db: world.test.db, newId, fileUrl: 'http://gateway.test/files' };
  await settleTask(deps, { taskId: id, attempt: 0, reason: 'An operator says no.', discardImages: true });
  await world.sql(`UPDATE orphan_checks SET due_at = now() + interval '1 hour' WHERE task_id = $1`, [id]);
  return id;
}

describe('inputs', () => {
  test('input images reach the provider in their order, checked and measured, the same one twice', async () => {
    const provider = start();
    const id = await edit('/a.png', '/b.jpg', '/c.webp', '/a.png');
    expect((await world.ended(id)).status).toBe('completed');
    expect(
      provider.requests[0]?.inputs.map(({ contentType, width, height }) => [contentType, width, height]),
    ).toEqual([
      ['image/png', 120, 90],
      ['image/jpeg', 64, 36],
      ['image/webp', 64, 36],
      ['image/png', 120, 90],
    ]);
  });

  test('input images reach the provider upright, in sRGB and without metadata, whatever their size', async () => {
    for (const [width, height] of [
      [64, 48],
      [2_400, 1_800],
    ] as const) {
      const photo = sharp({ create: { width, height, channels: 3, background: '#c33' } }).jpeg();
      files.set(`/photo-${width}.jpg`, {
        bytes: await photo
          .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
          .withMetadata({ orientation: 6 })
          .toBuffer(),
      });
    }
    const cmyk = sharp(await drawImage('#c33')).toColourspace('cmyk');
    files.set('/cmyk.jpg', { bytes: await cmyk.jpeg().toBuffer() });
    const provider = start();
    const id = await edit('/photo-64.jpg', '/photo-2400.jpg', '/cmyk.jpg');
    expect((await world.ended(id)).status).toBe('completed');
    const received = await Promise.all(
      (provider.requests[0]?.inputs ?? []).map(async ({ bytes, ...told }) => {
        const { width, height, space, exif, orientation } = await sharp(bytes).metadata();
        expect(told).toMatchObject({ width, height });
        return { width, height, space, exif, orientation };
      }),
    );
    const clean = { space: 'srgb', exif: undefined, orientation: undefined };
    expect(received).toEqual([
      { width: 48, height: 64, ...clean },
      { width: 1_536, height: 2_048, ...clean },
      { width: 64, height: 36, ...clean },
    ]);
  });

  test('input images follow three redirects and no more', async () => {
    for (const hop of [1, 2, 3]) {
      files.set(`/hop${hop}`, { bytes: Buffer.alloc(0), location: `/hop${hop - 1}` });
    }
    files.set('/hop0', { bytes: await drawImage('#fff') });
    files.set('/hop4', { bytes: Buffer.alloc(0), location: '/hop3' });
    start();
    expect((await world.ended(await edit('/hop3'))).status).toBe('completed');
    expect((await world.ended(await edit('/hop4'))).error).toBe('image_urls[0]: could not be fetched');
  });

  test('input images of this gateway are read from the store without any request', async () => {
    const provider = start();
    const first = await world.submit();
    await world.ended(first);
    const id = await edit(`http://gateway.test/files/images/${first}/0.png?x=1`);
    expect((await world.ended(id)).status).toBe('completed');
    const bytes = await world.store.read(`images/${first}/0.png`);
    expect(provider.requests[1]?.inputs[0]?.bytes.equals(bytes ?? Buffer.alloc(0))).toBe(true);
  });

  test('input images that belong to a deleted task cannot be fetched, and its objects are removed', async () => {
    start();
    const first = await world.submit({ num_outputs: 2 });
    await world.ended(first);
    expect(await world.store.list(`images/${first}/`)).toHaveLength(2);
    expect(await deleteEndedTask(world.test.db, { taskId: first, accountId: null })).toBe('deleted');
    const id = await edit(`http://gateway.test/files/images/${first}/0.png`);
    const error = 'image_urls[0]: could not be fetched';
    expect(await world.ended(id)).toMatchObject({ status: 'failed', error, cost_micros: '0' });
    await eventually(async () => expect(await world.store.list(`images/${first}/`)).toEqual([]));
  });

  test.each([
    ['a failed task', (id: string) => `http://gateway.test/files/images/${id}/0.png`],
    ['no task', () => 'http://gateway.test/files/images/gen_0000000000000000000000/0.png'],
    ['no image', () => 'http://gateway.test/files/images/../secrets'],
    ['an image out of range', (id: string) => `http://gateway.test/files/images/${id}/7.png`],
  ])('input images that look like results but belong to %s cannot be fetched', async (_what, urlOf) => {
    const failed = await failedWithImage();
    await failsWith([urlOf(failed)], 'image_urls[0]: could not be fetched');
  });

  test.each([
    ['not there', '/nothing', 'could not be fetched'],
    ['no address of the Internet', 'http://127.0.0.1:9/a.png', 'could not be fetched'],
    ['no image', '/text', 'is not a PNG, JPEG or WebP image'],
    ['a GIF', '/gif', 'is not a PNG, JPEG or WebP image'],
    ['an animation', '/animation', 'is animated'],
    ['cut short', '/cut', 'is damaged'],
    ['garbage in the middle', '/garbage', 'is damaged'],
    ['too large', '/large', 'is too large (at most 10 MiB)'],
    ['too many pixels', '/pixels', 'has too many pixels (at most 40 megapixels and 16,384 a side)'],
  ])('input images that are %s end the task with the index and the reason', async (_what, path, reason) => {
    files.set('/text', { bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') });
    files.set('/gif', { bytes: Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64') });
    files.set('/animation', { bytes: await animation() });
    const jpeg = await drawImage('#888', { width: 900, height: 700, format: 'jpeg' });
    files.set('/cut', { bytes: jpeg.subarray(0, jpeg.length - 30) });
    files.set('/garbage', { bytes: await garbage() });
    files.set('/large', { bytes: Buffer.concat([await drawImage('#fff'), Buffer.alloc(10 * 1024 * 1024)]) });
    files.set('/pixels', { bytes: await drawImage('#fff', { width: 8_001, height: 5_000 }) });
    await failsWith(['/a.png', path], `image_urls[1]: ${reason}`);
  });

  test('input images that come in chunks of one byte could not be fetched, and are asked for once', async () => {
    let requests = 0;
    let sent = 0;
    const slow = await startReceiver((response) => {
      requests += 1;
      const pump = (): void => {
        while (!response.destroyed && response.write('x')) {
          sent += 1;
        }
      };
      response.on('drain', pump);
      pump();
    });
    const settings = { OUTBOUND_ALLOW: slow.hostPort };
    worker = world.start(routerOver(scriptedProvider(deliver)), { settings });
    const id = await edit(`${slow.url}/a.png`);
    expect((await world.ended(id)).error).toBe('image_urls[0]: could not be fetched');
    expect(requests).toBe(1);
    await slow.close();
    // Before the connection ends, buffers of both sides take some.
    expect(sent).toBeLessThan(1_000_000);
  });

  test('the first one of several that cannot be used names the reason, whichever fails first in time', async () => {
    const slow = await startReceiver((response) => {
      setTimeout(() => response.writeHead(404).end(), 400);
    });
    const provider = scriptedProvider(deliver);
    const settings = { OUTBOUND_ALLOW: `${host.hostPort},${slow.hostPort}` };
    worker = world.start(routerOver(provider), { settings });
    const id = await edit('/a.png', `${slow.url}/x`, '/text', '/large');
    expect((await world.ended(id)).error).toBe('image_urls[1]: could not be fetched');
    await slow.close();
  });

  test('an input image whose decoder cannot be started costs no try, and is drawn once one can', async () => {
    files.set('/large.webp', {
      bytes: await drawImage('#123456', { format: 'webp', width: 2_600, height: 2_600 }),
    });
    const settings = { OUTBOUND_ALLOW: host.hostPort };
    worker = world.start(routerOver(scriptedProvider(deliver)), { settings, decoderPath: '/bin/false' });
    const { metrics } = worker;
    const id = await edit('/large.webp');
    await eventually(async () => {
      const [failures] = (await metrics.decoderFailures.get()).values;
      expect(failures?.value).toBeGreaterThanOrEqual(1);
    });
    await eventually(async () =>
      expect(await world.task(id)).toMatchObject({
        status: 'pending',
        phase: 'queued',
        tries: 0,
      }),
    );
    expect(world.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'no decoder of images can be started' }),
    );
    await worker.stop();
    start();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0 });
  });

  test('a server that stumbles once is asked again, within the same attempt', async () => {
    files.set('/stumbles', { status: 503, bytes: await drawImage('#fff'), once: true });
    start();
    expect(await world.ended(await edit('/stumbles'))).toMatchObject({ status: 'completed', attempt: 1 });
  });

  test('input images that vanish before a later attempt end the task with what is stored, charged', async () => {
    files.set('/vanishes', { bytes: await drawImage('#fff') });
    start(async function* (request) {
      yield* deliver({ ...request, slots: [0] });
      files.delete('/vanishes');
      failWith('overload');
    });
    const id = await world.submit({ num_outputs: 2, image_urls: [at('/vanishes')] });
    expect(await world.ended(id)).toMatchObject({
      status: 'completed',
      stored_count: 1,
      attempt: 2,
      cost_micros: '10000',
    });
  });
});

async function garbage(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const bytes = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#000', noise } })
    .jpeg()
    .toBuffer();
  // Bytes without any order: sines of their places.
  const noSense = Array.from({ length: 4_000 }, (_, n) => Math.floor(1e6 * Math.abs(Math.sin(n))) & 0xff);
  bytes.set(noSense, 50_000);
  return bytes;
}

async function animation(): Promise<Buffer> {
  const frames = await Promise.all(['#f00', '#0f0'].map((colour) => drawImage(colour)));
  return sharp(frames, { join: { animated: true } })
    .webp()
    .toBuffer();
}
