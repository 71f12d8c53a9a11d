import { describe, expect, test } from '@jest/globals';
import { createPulse } from './create-pulse.js';

const never = () => new Promise<boolean>(() => undefined);
const times = { patienceMs: 30, rememberMs: 60_000 };

describe('the pulse of the database', () => {
  test('is there when it answers a question, and is not when it refuses one or is silent', async () => {
    expect(await createPulse({ ...times, ask: async () => true }).lives()).toBe(true);
    expect(await createPulse({ ...times, ask: async () => false }).lives()).toBe(false);
    expect(await createPulse({ ...times, ask: () => Promise.reject(new Error('refused')) }).lives()).toBe(
      false,
    );
    expect(await createPulse({ ...times, ask: never }).lives()).toBe(false);
  });

  test("is there when anybody's statement is answered meanwhile, not when one was answered before", async () => {
    const pulse = createPulse({ ...times, ask: never });
    pulse.beat();
    expect(await pulse.lives()).toBe(false);
    const other = createPulse({ patienceMs: 60_000, rememberMs: 0, ask: never });
    const looking = other.lives();
    other.beat();
    expect(await looking).toBe(true);
  });

  test('is taken once for all who ask at a time, and not again for a while when there is none, until somebody is answered', async () => {
    let asked = 0;
    const pulse = createPulse({
      ...times,
      ask: async () => {
        asked++;
        return false;
      },
    });
    expect(await Promise.all([pulse.lives(), pulse.lives()])).toEqual([false, false]);
    expect(await pulse.lives()).toBe(false);
    expect(asked).toBe(1);
    pulse.beat();
    await pulse.lives();
    expect(asked).toBe(2);
  });
});
