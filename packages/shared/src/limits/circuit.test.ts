import { describe, expect, test } from '@jest/globals';
import { createCircuit } from './circuit.js';

const never = () => new Promise<string>(() => undefined);
const fails = () => Promise.reject(new Error('down'));
const works = () => Promise.resolve('ok');
const timed = async (action: () => Promise<unknown>) => {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
};

describe('the circuit', () => {
  test('gives what the action gives while all is well', async () => {
    expect(await createCircuit({ isBack: works }).run(works)).toBe('ok');
  });

  test('only those who were there first wait for something that hangs', async () => {
    const { run } = createCircuit({ isBack: never, timeoutMs: 50, openMs: 10_000 });
    const first = await Promise.all([1, 2, 3].map(() => timed(() => run(never))));
    const later = await Promise.all([1, 2, 3].map(() => timed(() => run(never))));
    expect(Math.max(...first)).toBeLessThan(200);
    expect(Math.max(...later)).toBeLessThan(20);
  });

  test('a failure opens it at once, and nothing is tried until a look found it well again', async () => {
    let looks = 0;
    let back = fails;
    const isBack = () => {
      looks += 1;
      return back();
    };
    const { run } = createCircuit({ isBack, timeoutMs: 50, openMs: 0 });
    expect(await run(fails)).toBeNull();
    let tried = 0;
    const attempt = () => {
      tried += 1;
      return works();
    };
    expect(await run(attempt)).toBeNull();
    expect([looks, tried]).toEqual([1, 0]);
    back = works as never;
    await new Promise((resolve) => setImmediate(resolve));
    expect(await run(attempt)).toBeNull();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await run(attempt)).toBe('ok');
    expect([looks, tried]).toEqual([2, 1]);
  });
});
