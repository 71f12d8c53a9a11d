import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCommand } from '../cli/support/run-command.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { newOperator, type Person } from './support/people.js';

// The parser compares each key of a mapping with all others.
const SLOW = `x: {${Array.from({ length: 80_000 }, (_, i) => i.toString(36)).join()}}`;
const TOO_SLOW = /the document takes longer than 10 s to read/;

let api: TestApi;
let operator: Person;
let folder: string;
beforeAll(async () => {
  [api, folder] = await Promise.all([
    startApi({ AUTH_SECRET: 'x'.repeat(32) }),
    mkdtemp(join(tmpdir(), 'documents-')),
  ]);
  operator = await newOperator(api);
});
afterAll(() => Promise.all([api.stop(), rm(folder, { recursive: true })]));

test('a document that takes the parser very long is refused on the page after 10 s, and neighbors are answered meanwhile', async () => {
  const neighbor = await api.account();
  const over = new AbortController();
  const checked = operator.post('/operator/models/check', { source: SLOW }).finally(() => over.abort());
  let answers = 0;
  while (!over.signal.aborted) {
    expect((await api.call('/v1/tasks', { as: neighbor })).status).toBe(200);
    answers += 1;
  }
  const { status, data } = await checked;
  expect([status, data]).toMatchObject([200, { faults: [{ message: expect.stringMatching(TOO_SLOW) }] }]);
  // An event loop that parses answers one at most.
  expect(answers).toBeGreaterThan(20);
  const next = await operator.post('/operator/models/check', { source: 'models: {}' });
  expect(next.data).toMatchObject({ faults: [] });
});

test('a document that takes the parser very long is refused as CATALOG_FILE, which the error names', async () => {
  const file = join(folder, 'slow.yaml');
  await writeFile(file, SLOW);
  const env = { DATABASE_URL: api.test.url, CATALOG_FILE: file };
  const { code, value } = await runCommand({ env }, 'catalog', 'sync');
  expect([code, value.error?.message]).toEqual([1, expect.stringMatching(TOO_SLOW)]);
  expect(value.error?.message).toContain(file);
});
