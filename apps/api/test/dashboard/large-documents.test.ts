import type { ModelsView } from '@image-gateway/shared/catalog/schema';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { TestApi } from '../support/start-api.js';
import { type Owner, type Person, startWithPeople } from './support/people.js';

const CHECK = '/operator/models/check';

let api: TestApi;
let operator: Person;
let owner: Owner;
beforeAll(async () => {
  ({ api, operator, owner } = await startWithPeople());
});
afterAll(() => api.stop());

/** Adds comments full of quotes, each of which takes two bytes in JSON, until a document has so many bytes. */
function pad(source: string, bytes: number): string {
  const line = `#${'"'.repeat(998)}\n`;
  const text = source + line.repeat(Math.floor((bytes - source.length - 2) / line.length));
  return `${text}#${'.'.repeat(bytes - text.length - 2)}\n`;
}

test('the page checks and applies a document of 1 MiB, and tells the size of a larger one', async () => {
  const { source, version } = (await operator.get('/operator/models')).data as unknown as ModelsView;
  // Providers are left out on the page, and added to its document again.
  const full = pad(source, 1023 * 1024);
  expect(await operator.post(CHECK, { source: full })).toMatchObject({ status: 200, data: { faults: [] } });
  const applied = await operator.post('/operator/models/apply', {
    from: version,
    source: full,
    note: 'large',
  });
  expect(applied.status).toBe(200);
  expect(await operator.post(CHECK, { source: pad(source, 1024 * 1024 + 1) })).toMatchObject({
    status: 200,
    data: { faults: [{ message: 'the document is larger than 1048576 bytes' }] },
  });
});

test('only operators send large bodies, and only documents', async () => {
  const source = '#'.repeat(300 * 1024);
  expect((await owner.post(CHECK, { source })).status).toBe(403);
  expect((await owner.post('/keys', { name: source })).error?.message).toBe(
    'The body is larger than 256 KiB.',
  );
  const over = await operator.post(CHECK, { source: '#'.repeat(3 * 1024 * 1024) });
  expect(over.error?.message).toBe('The body is larger than 2052 KiB.');
});
