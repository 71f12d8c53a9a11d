import { describe, expect, test } from '@jest/globals';
import { createTurnstile as create, type TurnstileOptions } from './turnstile.js';

const turn = () => new Promise(setImmediate);
const createTurnstile = (options: Omit<TurnstileOptions, 'isGone'>) =>
  create({ ...options, isGone: (error) => error === gone });
const gone = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
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

describe('the turnstile', () => {
  test('lets so many through at a time, the others in their order', async () => {
    const turnstile = createTurnstile({ places: 2, patienceMs: 1_000 });
    const actions = [action(), action(), action(), action()];
    const all = actions.map(({ run }) => code(turnstile.pass(run)));
    await turn();
    expect(actions.map(({ started }) => started())).toEqual([true, true, false, false]);
    actions[1]?.resolve();
    await turn();
    expect(actions.map(({ started }) => started())).toEqual([true, true, true, false]);
    actions[0]?.reject(refused);
    await turn();
    for (const { resolve } of actions) resolve();
    expect(await Promise.all(all)).toEqual(['23505', 'done', 'done', 'done']);
  });

  test('a busy database is SERVICE_UNAVAILABLE after the patience, and the place is not lost', async () => {
    const turnstile = createTurnstile({ places: 1, patienceMs: 20 });
    const first = action();
    const running = turnstile.pass(first.run);
    expect(await code(turnstile.pass(action().run))).toBe('SERVICE_UNAVAILABLE');
    first.resolve();
    expect(await running).toBe('done');
    expect(await turnstile.pass(() => Promise.resolve('next'))).toBe('next');
  });

  test('when the database has gone, those who wait are told at once', async () => {
    const turnstile = createTurnstile({ places: 1, patienceMs: 60_000 });
    const first = action();
    const all = [turnstile.pass(first.run), turnstile.pass(action().run), turnstile.pass(action().run)].map(
      code,
    );
    await turn();
    first.reject(gone);
    expect(await Promise.all(all)).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']);
    expect(await turnstile.pass(() => Promise.resolve('back'))).toBe('back');
  });

  test('any other failure meets nobody else', async () => {
    const turnstile = createTurnstile({ places: 1, patienceMs: 60_000 });
    const first = action();
    const all = [code(turnstile.pass(first.run)), code(turnstile.pass(() => Promise.resolve('next')))];
    await turn();
    first.reject(refused);
    expect(await Promise.all(all)).toEqual(['23505', 'done']);
  });
});
