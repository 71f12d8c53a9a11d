import { describe, expect, test } from '@jest/globals';
import { type ConnectionSemaphoreOptions, createConnectionSemaphore as create } from './create-database.js';

const turn = () => new Promise(setImmediate);
const createConnectionSemaphore = (options: Omit<ConnectionSemaphoreOptions, 'isUnreachable'>) =>
  create({ ...options, isUnreachable: (error) => error === unreachable });
const unreachable = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const refused = Object.assign(new Error('duplicate'), { code: '23505' });

/** An action that ends when the test says so. */
function action() {
  let started = false;
  let end: { resolve: (value: string) => void; reject: (error: Error) => void } | undefined;
  return {
    run: () => {
      started = true;
      return new Promise<string>((resolve, reject) => {
        end = { resolve, reject };
      });
    },
    started: () => started,
    resolve: () => end?.resolve('done'),
    reject: (error: Error) => end?.reject(error),
  };
}
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

describe('the connection semaphore', () => {
  test('the connection semaphore runs as many actions at a time as there are connections, the others in the order of arrival', async () => {
    const semaphore = createConnectionSemaphore({ connections: 2, maxWaitMs: 1_000 });
    const actions = [action(), action(), action(), action()];
    const all = actions.map(({ run }) => code(semaphore.run(run)));
    await turn();
    expect(actions.map(({ started }) => started())).toEqual([true, true, false, false]);
    actions[1]?.resolve();
    await turn();
    expect(actions.map(({ started }) => started())).toEqual([true, true, true, false]);
    actions[0]?.reject(refused);
    await turn();
    for (const { resolve } of actions) {
      resolve();
    }
    expect(await Promise.all(all)).toEqual(['23505', 'done', 'done', 'done']);
  });

  test('a busy database is SERVICE_UNAVAILABLE after the longest wait, and its connection is not lost', async () => {
    const semaphore = createConnectionSemaphore({ connections: 1, maxWaitMs: 20 });
    const first = action();
    const running = semaphore.run(first.run);
    expect(await code(semaphore.run(action().run))).toBe('SERVICE_UNAVAILABLE');
    first.resolve();
    expect(await running).toBe('done');
    expect(await semaphore.run(() => Promise.resolve('next'))).toBe('next');
  });

  test('an unreachable database fails all waiting callers at once', async () => {
    const semaphore = createConnectionSemaphore({ connections: 1, maxWaitMs: 60_000 });
    const first = action();
    const all = [semaphore.run(first.run), semaphore.run(action().run), semaphore.run(action().run)].map(
      code,
    );
    await turn();
    first.reject(unreachable);
    expect(await Promise.all(all)).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']);
    expect(await semaphore.run(() => Promise.resolve('back'))).toBe('back');
  });

  test('any other failure concerns its own caller only', async () => {
    const semaphore = createConnectionSemaphore({ connections: 1, maxWaitMs: 60_000 });
    const first = action();
    const all = [code(semaphore.run(first.run)), code(semaphore.run(() => Promise.resolve('next')))];
    await turn();
    first.reject(refused);
    expect(await Promise.all(all)).toEqual(['23505', 'done']);
  });
});
