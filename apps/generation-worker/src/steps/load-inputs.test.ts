import { createSemaphore } from '@image-gateway/shared/concurrency';
import type { ClaimedTask } from '@image-gateway/shared/db';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Attempt } from '../attempt/attempt.js';
import { InputsBusyError } from '../inputs/inputs-busy-error.js';
import { type InputDeps, loadInput } from '../inputs/load-input.js';
import { loadInputImages } from '../inputs/load-input-images.js';
import { type InputsDeps, loadInputs } from './load-inputs.js';

const MIB = 1024 * 1024;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Inputs of a task with three images. */
function createTask(deps: InputsDeps, accountId: string) {
  const imageUrls = [1, 2, 3].map((n) => `https://images.test/${accountId}-${n}.png`);
  const task = { accountId, imageUrls } as unknown as ClaimedTask;
  const attempt: Pick<Attempt, 'task' | 'signal'> = { task, signal: new AbortController().signal };
  return loadInputs(deps, attempt);
}

function createDeps(imageBytes: number, given: Partial<InputDeps> = {}) {
  const heldInputBytes = createSemaphore({ permits: 60 * MIB, leavesRoom: 1 });
  const loadingBytes = createSemaphore({ permits: 100 * MIB, leavesRoom: 1 });
  const image = { bytes: Buffer.alloc(imageBytes), contentType: 'image/png', width: 1, height: 1 } as const;
  const inputDeps: InputDeps = {
    db: { run: () => Promise.reject(new Error('not needed')) },
    store: { read: () => Promise.reject(new Error('not needed')) },
    outbound: {
      fetchBytes: ({ url }) => Promise.resolve({ status: 200, headers: {}, bytes: image.bytes, url }),
    },
    hostLimits: { admit: () => Promise.resolve(() => undefined) },
    validate: () => Promise.resolve({ ...image, extension: 'png' }),
    resize: (valid) => Promise.resolve(valid),
    fileUrl: 'https://gateway.test/files',
    ...given,
  };
  const deps: InputsDeps = {
    heldInputBytes,
    loadImages: (task) =>
      loadInputImages({ loadingBytes, loadInput: (entry) => loadInput(inputDeps, entry) }, task),
    startLoading: () => () => undefined,
  };
  return { deps, heldInputBytes, loadingBytes };
}

describe('load inputs', () => {
  test('the input images of a task take the memory that they need, all of which is free again at the end', async () => {
    const { deps, heldInputBytes, loadingBytes } = createDeps(10 * MIB);
    const inputs = createTask(deps, 'a');
    expect(await inputs.get()).toHaveLength(3);
    expect(heldInputBytes.available()).toBe(30 * MIB);
    expect(loadingBytes.available()).toBe(100 * MIB);
    inputs.release();
    expect(heldInputBytes.available()).toBe(60 * MIB);
  });

  test('the input images of a task that each hold part of the memory that both need are released after ten seconds, and nothing stays held', async () => {
    const { deps, heldInputBytes, loadingBytes } = createDeps(10 * MIB);
    const both = ['a', 'b'].map((account) => createTask(deps, account));
    const ends = Promise.allSettled(both.map((inputs) => inputs.get()));
    await jest.advanceTimersByTimeAsync(9_000);
    expect(heldInputBytes.available()).toBe(24 * MIB);
    await jest.advanceTimersByTimeAsync(1_100);
    for (const end of await ends) {
      expect(end).toMatchObject({ reason: expect.any(InputsBusyError) });
    }
    for (const inputs of both) {
      inputs.release();
    }
    expect(heldInputBytes.available()).toBe(60 * MIB);
    expect(loadingBytes.available()).toBe(100 * MIB);
    expect(await createTask(deps, 'b').get()).toHaveLength(3);
  });

  test('the input images of a task that wait for a busy host are released after 180 s, and fail no task', async () => {
    const admit = (_url: URL, { signal }: { signal: AbortSignal }) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const outbound: InputDeps['outbound'] = {
      fetchBytes: async ({ admit: admitUrl }) => {
        await admitUrl?.(new URL('https://images.test'));
        throw new Error('admitted');
      },
    };
    const { deps } = createDeps(MIB, { outbound, hostLimits: { admit } });
    const end = createTask(deps, 'a')
      .get()
      .catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(179_000);
    expect(await Promise.race([end, Promise.resolve('waiting')])).toBe('waiting');
    await jest.advanceTimersByTimeAsync(1_100);
    expect(await end).toBeInstanceOf(InputsBusyError);
  });
});
