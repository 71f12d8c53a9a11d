import { describe, expect, test } from '@jest/globals';
import { createConsumptionProbe } from './index.js';

/** Consumer in the state that a test sets, and a probe that takes a sample every 100 ms. */
function scene() {
  const state = { waiting: 5 as number | null, active: 0, lastActivityAt: 0, time: 1_000 };
  const probe = createConsumptionProbe({
    consumer: {
      concurrency: 2,
      activeCount: () => state.active,
      lastActivityAt: () => state.lastActivityAt,
      waitingCount: async () => state.waiting,
    },
    stuckAfterMs: 500,
    now: () => state.time,
  });
  const ask = async (times: number): Promise<boolean[]> => {
    const answers: boolean[] = [];
    for (let n = 0; n < times; n += 1) {
      answers.push(await probe());
      state.time += 100;
    }
    return answers;
  };
  return { state, ask };
}

describe('the consumption probe', () => {
  test('barks when jobs wait, slots are free and nothing is taken for long enough', async () => {
    const { ask } = scene();
    expect(await ask(7)).toEqual([false, false, false, false, false, true, true]);
  });

  test.each([
    ['nothing waits', { waiting: 0 }],
    ['Redis does not say', { waiting: null }],
    ['every slot is taken', { active: 2 }],
  ])('the consumption probe does not bark when %s, and starts anew afterwards', async (_name, change) => {
    const { state, ask } = scene();
    await ask(4);
    Object.assign(state, change);
    expect(await ask(20)).not.toContain(true);
    Object.assign(state, { waiting: 5, active: 0 });
    expect(await ask(5)).not.toContain(true);
    expect(await ask(1)).toEqual([true]);
  });

  test('the consumption probe does not bark while jobs are taken, however many wait', async () => {
    const { state, ask } = scene();
    for (let n = 0; n < 10; n += 1) {
      expect(await ask(4)).not.toContain(true);
      state.lastActivityAt = state.time;
    }
  });

  test('the consumption probe does not bark when the whole process was stopped for a while', async () => {
    const { state, ask } = scene();
    await ask(1);
    state.time += 60_000;
    expect(await ask(1)).toEqual([false]);
    state.lastActivityAt = state.time;
    expect(await ask(3)).not.toContain(true);
  });
});
