import { UnusableServiceError } from '@image-gateway/shared/errors';
import { createLogger } from '@image-gateway/shared/logging';
import { createObjectStore, refuseUnconditionalPuts } from '@image-gateway/shared/storage';
import { testBucket } from '@image-gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Stub, startStub } from './start-stub.js';

let stub: Stub | undefined;
const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'warn', write: (line) => lines.push(line) });
afterEach(async () => {
  lines.length = 0;
  await stub?.close();
});

describe('an object store at the start', () => {
  test('an object store at the start that lets a later put replace an object is refused, and the object is removed', async () => {
    stub = await startStub((_, response) => response.end());
    const trial = refuseUnconditionalPuts(stub.store, logger);
    await expect(trial).rejects.toThrow(UnusableServiceError);
    await expect(trial).rejects.toThrow(/ignores "If-None-Match: \*".*docs\/object-stores\.md/);
    expect(stub.requests.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'POST']);
  });

  test('an object store at the start that honours the condition passes, and nothing stays there', async () => {
    const store = createObjectStore(testBucket());
    await store.ensureBucket();
    await refuseUnconditionalPuts(store, logger);
    expect(await store.list('doctor/')).toEqual([]);
    expect(lines).toEqual([]);
    store.close();
  });

  test('an object store at the start that does not answer holds up nothing, and a line tells', async () => {
    stub = await startStub(() => undefined, { timeoutMs: 200 });
    await refuseUnconditionalPuts(stub.store, logger);
    expect(lines.join()).toContain('could not be tried');
  });
});
