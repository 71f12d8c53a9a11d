import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { batchStatements, type Run } from './batch-statements.js';
import type { Statement } from './statement.js';

/** A statement that locks accounts. */
const HOLD: Statement = { name: 'hold', text: 'skips', batch: { waitingText: 'waits' } };
/** A statement that locks none. */
const NOTE: Statement = { name: 'note', text: 'notes', batch: {} };

interface Sent {
  readonly text: string;
  readonly accounts: readonly string[];
  readonly answer: () => void;
  readonly fail: (code: string) => void;
}

/** A database that answers when the test says so. */
function scene(statement = HOLD) {
  const sent: Sent[] = [];
  const run = (({ text }: Statement, [json]: readonly unknown[]) =>
    new Promise<unknown[]>((resolve, reject) => {
      const accounts = (JSON.parse(String(json)) as { account: string }[]).map(({ account }) => account);
      sent.push({
        text,
        accounts,
        answer: () =>
          resolve(accounts.map((account, i) => ({ account, locked: true, place: BigInt(i + 1) }))),
        fail: (code) => reject(Object.assign(new Error(code), { code })),
      });
    })) as Run;
  const share = batchStatements(run);
  const hold = async (account: string, images: readonly string[] = []): Promise<string> => {
    try {
      const [row] = await share<{ account: string }>(statement, [{ account, images }]);
      return `held ${row?.account}`;
    } catch (error) {
      return String((error as { code?: string }).code);
    }
  };
  /** Statements that were sent since the last look. */
  let seen = 0;
  const next = async (): Promise<Sent[]> => {
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise(setImmediate);
    }
    const fresh = sent.slice(seen);
    seen = sent.length;
    return fresh;
  };
  return { hold, next };
}

describe('callers that share a statement over accounts', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  test.each(['57014', '40P01', '55P03'])(
    'a batch refused with %s is tried again account by account, and those who wait for the next batch never notice',
    async (code) => {
      const { hold, next } = scene();
      const first = [hold('a'), hold('c')];
      const [common] = await next();
      const waiting = hold('e');
      common?.fail(code);
      const sent = await next();
      expect(sent.map(({ text, accounts }) => [text, accounts])).toEqual(
        expect.arrayContaining([
          ['skips', ['e']],
          ['waits', ['a']],
          ['waits', ['c']],
        ]),
      );
      for (const { answer } of sent) {
        answer();
      }
      expect(await Promise.all([...first, waiting])).toEqual(['held a', 'held c', 'held e']);
    },
  );

  test('a statement that is held up holds up its own accounts only, and no account is in two statements at a time', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    const { hold, next } = scene();
    const first = hold('a');
    const [stuck] = await next();
    const [again, other] = [hold('a'), hold('c')];
    expect(await next()).toEqual([]);
    jest.advanceTimersByTime(1000);
    const [beside] = await next();
    expect(beside?.accounts).toEqual(['c']);
    beside?.answer();
    expect(await other).toBe('held c');
    expect(await next()).toEqual([]);
    stuck?.answer();
    expect(await first).toBe('held a');
    (await next())[0]?.answer();
    expect(await again).toBe('held a');
  });

  test('long rows go a few at a time: a statement has a million characters at most', async () => {
    const { hold, next } = scene();
    const long = ['x'.repeat(200_000), 'x'.repeat(40_000)];
    const all = Array.from({ length: 10 }, () => hold('a', long));
    const sizes: number[] = [];
    for (let sent = await next(); sent.length > 0; sent = await next()) {
      for (const { accounts, answer } of sent) {
        sizes.push(accounts.length);
        answer();
      }
    }
    expect(sizes).toEqual([4, 4, 2]);
    await Promise.all(all);
  });

  test('a lost connection meets those who wait as well, and nothing is sent again', async () => {
    const { hold, next } = scene();
    const first = hold('a');
    const [common] = await next();
    const waiting = hold('c');
    common?.fail('ECONNRESET');
    expect(await Promise.all([first, waiting])).toEqual(['ECONNRESET', 'ECONNRESET']);
    expect(await next()).toEqual([]);
  });

  test('a bad row fails alone: other accounts go again together, and only the rows of its own account one by one', async () => {
    const { hold, next } = scene();
    const all = [hold('a'), hold('a'), hold('c'), hold('c')];
    (await next())[0]?.fail('23505');
    for (const { accounts, answer, fail } of await next()) {
      accounts.includes('a') ? fail('23505') : answer();
    }
    const [bad, good, ...more] = await next();
    expect([bad?.accounts, good?.accounts, more]).toEqual([['a'], ['a'], []]);
    bad?.fail('23505');
    good?.answer();
    expect(await Promise.all(all)).toEqual(['23505', 'held a', 'held c', 'held c']);
  });

  test('an account that is locked for long refuses all who wait for it at once, and nobody else', async () => {
    const { hold, next } = scene();
    const locked = hold('a');
    (await next())[0]?.fail('55P03');
    const [waits] = await next();
    const [late, other] = [hold('a'), hold('c')];
    const [common] = await next();
    common?.fail('55P03');
    const [ofOther] = await next();
    waits?.fail('55P03');
    expect(await Promise.all([locked, late])).toEqual(['55P03', '55P03']);
    ofOther?.answer();
    expect(await other).toBe('held c');
  });
});

describe('callers that share a statement', () => {
  test.each([
    ['locks accounts', HOLD],
    ['locks none', NOTE],
  ])('that %s go on over several turns of the event loop', async (_what, statement) => {
    const { hold, next } = scene(statement);
    let held = 0;
    const all = Array.from({ length: 40 }, () => hold('a').then(() => held++));
    (await next())[0]?.answer();
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThan(40);
    await Promise.all(all);
    expect(held).toBe(40);
  });
});
