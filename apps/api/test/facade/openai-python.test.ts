import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../support/start-api.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

const run = promisify(execFile);
const INSTALL_MS = 240_000;
/** Seconds that no busy machine needs for an answer; each one used to come after a minute. */
const MAX_SECONDS = 20;
const hasPython = spawnSync('python3', ['-m', 'pip', '--version']).status === 0;

/** Sends the edits that are named, as the package does, without repetitions; prints status, code and seconds of each. */
const SCRIPT = `
import json, os, sys, time
from openai import APIStatusError, OpenAI
client = OpenAI(base_url=sys.argv[1], api_key=sys.argv[2], max_retries=0, timeout=60)
small = [("a.png", b"an image %d" % n, "image/png") for n in range(9)]
large = ("photo.jpg", os.urandom(18_000_000), "image/jpeg")
edits = {
    "good": dict(image=small, prompt="x"),
    "size": dict(image=small, prompt="x", size="1-1"),
    "model": dict(image=small, prompt="x", model="no-such-model"),
    "count": dict(image=small, prompt="x", n=99),
    "large": dict(image=large, prompt="x"),
    "mask": dict(image=small, mask=large, prompt="x"),
}
answers = []
for name in sys.argv[3:]:
    begun = time.monotonic()
    try:
        client.images.edit(**edits[name])
        told = [200, None]
    except APIStatusError as error:
        told = [error.status_code, error.code]
    answers.append([*told, time.monotonic() - begun])
print(json.dumps(answers))
`;
const REFUSED = ['size', 'model', 'count', 'large', 'mask', 'size', 'model', 'count', 'large', 'mask'];

type Answer = readonly [status: number, code: string | null, seconds: number];

let api: TestApi;
let worker: TestWorker;
let folder: string;
beforeAll(async () => {
  [api, folder] = await Promise.all([
    startApi({ FACADE_MAX_WAIT: '20' }),
    mkdtemp(path.join(tmpdir(), 'openai-python-')),
  ]);
  await api.store.ensureBucket();
  worker = startWorker(api);
  if (hasPython) {
    const install = ['-m', 'pip', 'install', '--quiet', '--target', folder, 'openai==3.57.0'];
    await run('python3', install, { timeout: INSTALL_MS });
  }
}, INSTALL_MS);
afterAll(async () => {
  await worker.stop();
  await api.test.checkInvariants();
  await Promise.all([api.stop(), rm(folder, { recursive: true, force: true })]);
});

const edit = async ({ apiKey }: TestAccount, names: readonly string[]): Promise<readonly Answer[]> => {
  const { stdout } = await run('python3', ['-c', SCRIPT, `${api.url}/openai/v1`, apiKey, ...names], {
    env: { ...process.env, PYTHONPATH: folder },
    timeout: 120_000,
  });
  return JSON.parse(stdout) as readonly Answer[];
};
const countUploads = async ({ id }: TestAccount): Promise<number> =>
  (await api.test.pool.query('SELECT FROM task_inputs WHERE account_id = $1', [id])).rows.length;

(hasPython ? test : test.skip)(
  'refused edits of the openai package for Python leave nothing behind, it reads each answer at once, and its next good edit is drawn',
  async () => {
    const [account, poor] = [await api.account(), await api.account({ balanceMicros: 0n })];
    const refused = await edit(account, [...REFUSED, 'size', 'model']);
    expect(refused.map(([status]) => status)).toEqual(Array<number>(12).fill(400));
    const unpaid = await edit(poor, ['good']);
    expect(unpaid).toEqual([[403, 'insufficient_quota', expect.any(Number)]]);
    expect(Math.max(...[...refused, ...unpaid].map(([, , seconds]) => seconds))).toBeLessThan(MAX_SECONDS);
    expect([await countUploads(account), await countUploads(poor)]).toEqual([0, 0]);
    expect(await api.store.list('inputs/')).toEqual([]);
    expect(await edit(account, ['good'])).toEqual([[200, null, expect.any(Number)]]);
  },
  180_000,
);
