import { eventually, killPrograms, startProgram, startReceiver } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { createWorld, type World } from './support/world.js';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(async () => {
  killPrograms();
  await world.close();
});

const MAX_BYTES = 10 * 1024 * 1024;

/** The largest images there may be, in pixels and, by what lies behind their end, in bytes. */
async function largest(): Promise<Buffer[]> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const small = sharp({ create: { width: 500, height: 320, channels: 3, background: '#000', noise } });
  const large = sharp(await small.png().toBuffer()).resize(8_000, 5_000, { kernel: 'nearest', fit: 'fill' });
  const { data, info } = await large.raw().toBuffer({ resolveWithObject: true });
  const raw = sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } });
  const images = await Promise.all([
    raw.clone().png({ compressionLevel: 1 }).toBuffer(),
    raw.clone().jpeg({ quality: 90 }).toBuffer(),
    raw.clone().webp({ quality: 50, effort: 0 }).toBuffer(),
  ]);
  return images.map((bytes) => Buffer.concat([bytes, Buffer.alloc(MAX_BYTES - bytes.length, 1)]));
}

test('nine inputs of forty megapixels and ten mebibytes never keep the event loop for 100 ms', async () => {
  const images = await largest();
  const host = await startReceiver((response, { path }) => response.end(images[Number(path.slice(1)) % 3]));
  const worker = startProgram('apps/generation-worker', ['test/support/measured-worker.ts'], {
    ...world.env,
    HOST: '127.0.0.1',
    METRICS_PORT: '0',
    OUTBOUND_ALLOW: host.hostPort,
  });
  await eventually(() => expect(worker.output()).toContain('"started"'));
  const image_urls = Array.from({ length: 9 }, (_, n) => `${host.url}/${n}`);
  const id = await world.submit({ image_urls }, { deadlineMs: 600_000 });
  expect((await world.ended(id, 120_000)).status).toBe('completed');
  worker.child.kill('SIGTERM');
  expect((await worker.ended).code).toBe(0);
  const [, longest] = /longest turn: ([\d.]+) ms/.exec(worker.output()) ?? [];
  expect(Number(longest)).toBeGreaterThan(0);
  expect(Number(longest)).toBeLessThan(100);
  await host.close();
}, 240_000);
