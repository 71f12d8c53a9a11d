import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildPng,
  eventually,
  inflatingChunk,
  type Receiver,
  repositoryRoot,
  startReceiver,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { createWorld, type World } from './support/world.js';

const MEGABYTE = 1_000_000;
const MAX_MEMORY = 700 * MEGABYTE;
const KIB = 1_024;
const isLinux = process.platform === 'linux';

let world: World;
let host: Receiver;
let worker: ChildProcess | undefined;
const files = new Map<string, Buffer>();

beforeAll(async () => {
  world = await createWorld();
  host = await startReceiver((response, { path }) => response.end(files.get(path)));
  worker = await startWorker();
});
afterEach(() => world.test.checkInvariants('rest'));
afterAll(async () => {
  if (worker?.kill('SIGKILL')) {
    await once(worker, 'exit');
  }
  await host.close();
  await world.close();
});

/** Starts the compiled worker: the loader of TypeScript takes as much memory in every process as a large image. */
async function startWorker(): Promise<ChildProcess> {
  const root = repositoryRoot();
  const env = {
    ...world.env,
    HOST: '127.0.0.1',
    METRICS_PORT: '0',
    OUTBOUND_ALLOW: host.hostPort,
    GENERATION_CONCURRENCY: '24',
  };
  const main = path.join(root, 'apps/generation-worker/dist/main.js');
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  await eventually(() => expect(output).toContain('"started"'));
  return child;
}

const edit = (file: string) =>
  world.submit({ prompt: 'sandbox:fixed', image_urls: [`${host.url}${file}`] }, { deadlineMs: 600_000 });

/** Returns the processes that a process has started and that still run. */
function listChildren(pid: number | undefined): number[] {
  try {
    // Node starts all of them in its first thread.
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Resident memory of a process, in bytes; 0 when it has ended. Of pages that processes share, each has its part. */
function readMemory(pid: number | undefined): number {
  try {
    const [, kib] = /^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return Number(kib ?? 0) * KIB;
  } catch {
    return 0;
  }
}

/** Returns the most memory that the worker and its decoders had together during an action. */
async function measurePeak(action: () => Promise<void>): Promise<number> {
  const pid = worker?.pid;
  let peak = 0;
  const timer = setInterval(() => {
    const sum = [pid, ...listChildren(pid)].reduce((total: number, one) => total + readMemory(one), 0);
    peak = Math.max(peak, sum);
  }, 50);
  await action().finally(() => clearInterval(timer));
  return peak;
}

const flat = (channels: 3 | 4 = 3) =>
  sharp({ create: { width: 6_320, height: 6_320, channels, background: '#3579' } });
const square = { width: 6_320, height: 6_320, depth: 16, colour: 'rgba' } as const;

describe('image bombs', () => {
  test.each([
    ['one row of 40 megapixels', { width: 39_999_999, height: 1 }],
    ['forty rows of a million pixels', { width: 1_000_000, height: 40 }],
    ['a column of 40 megapixels', { width: 1, height: 39_999_999 }],
    ['one pixel more than a side may have', { width: 16_385, height: 1 }],
  ])(
    'images made to exhaust the memory are refused by a side before anything is decoded: %s',
    async (_name, size) => {
      files.set('/side', buildPng({ ...square, ...size }));
      const before = readMemory(worker?.pid);
      const peak = await measurePeak(async () => {
        const id = await edit('/side');
        const error = 'image_urls[0]: has too many pixels (at most 40 megapixels and 16,384 a side)';
        expect(await world.ended(id)).toMatchObject({ status: 'failed', error, cost_micros: '0', tries: 0 });
      });
      if (isLinux) {
        expect(peak - before).toBeLessThan(100 * MEGABYTE);
      }
    },
  );

  const allowed: [string, () => Buffer | Promise<Buffer>, number][] = [
    ['interlaced PNGs of 16 bits', () => buildPng({ ...square, interlaced: true }), 2],
    [
      'interlaced PNGs of 16 bits and the longest rows',
      () => buildPng({ ...square, width: 16_384, height: 2_441, interlaced: true }),
      2,
    ],
    [
      'progressive JPEGs without subsampling',
      () => flat().jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer(),
      2,
    ],
    ['lossless WebPs', () => flat(4).webp({ lossless: true, effort: 0 }).toBuffer(), 2],
    ['PNGs of 8 bits', () => buildPng({ ...square, depth: 8, colour: 'rgb' }), 20],
    [
      'PNGs whose texts and profile inflate to gigabytes',
      () =>
        buildPng({
          width: 64,
          height: 64,
          depth: 8,
          colour: 'rgb',
          chunks: [
            inflatingChunk('iCCP', 100 * MEGABYTE),
            ...Array<Buffer>(200).fill(inflatingChunk('zTXt', 7 * MEGABYTE)),
          ],
        }),
      20,
    ],
  ];
  test.each(allowed)(
    'within the rules keep the worker below 700 MB: %s',
    async (_name, make, tasks) => {
      files.set('/large', await make());
      const peak = await measurePeak(async () => {
        const ids = await Promise.all(Array.from({ length: tasks }, () => edit('/large')));
        for (const id of ids) {
          expect(await world.ended(id, 200_000)).toMatchObject({ status: 'completed', tries: 0 });
        }
      });
      if (isLinux) {
        expect(peak).toBeGreaterThan(50 * MEGABYTE);
        expect(peak).toBeLessThan(MAX_MEMORY);
      }
    },
    240_000,
  );
});

(isLinux ? test : test.skip)(
  'an image whose decoder is killed fails its own task by the index, and costs no other task a try',
  async () => {
    files.set('/held', buildPng({ ...square, interlaced: true }));
    const other = await world.submit({ prompt: 'sandbox:fixed sandbox:delay=3000' });
    const killOnce = async (): Promise<string> => {
      const id = await edit('/held');
      const [decoder = 0] = await eventually(() => {
        // It has started and holds a good part of the image.
        const children = listChildren(worker?.pid).filter((child) => readMemory(child) > 150 * MEGABYTE);
        expect(children).toHaveLength(1);
        return children;
      });
      process.kill(decoder, 'SIGKILL');
      return id;
    };
    let id = await killOnce();
    // On a busy machine a decoder may be done before this process has its turn to kill it.
    for (let again = 0; again < 5 && (await world.ended(id)).status === 'completed'; again += 1) {
      id = await killOnce();
    }
    const error = 'image_urls[0]: is damaged';
    expect(await world.ended(id)).toMatchObject({ status: 'failed', error, tries: 0, cost_micros: '0' });
    expect(await world.ended(other)).toMatchObject({ status: 'completed', tries: 0, attempt: 1 });
    expect(worker?.exitCode).toBeNull();
  },
);
