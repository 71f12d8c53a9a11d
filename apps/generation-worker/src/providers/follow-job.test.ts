import { describe, expect, test } from '@jest/globals';
import { ProviderError } from './failures.js';
import { type FollowedJob, followJob, JOB_PACE, type JobClock, type JobProgress } from './follow-job.js';
import type { ProviderEvent } from './port.js';

type Seen = JobProgress<string> | ProviderError;

const pending: Seen = { kind: 'pending' };
const done: Seen = { kind: 'done', result: 'x' };
const image: ProviderEvent = { type: 'image', bytes: Buffer.from('x'), slot: 0 };
const park = (delayMs: number): ProviderEvent => ({ type: 'park', delayMs });
const broken = (retryAfterMs?: number) => new ProviderError('upstream-error', 'scripted', { retryAfterMs });

/** Follows a job that shows this, look by poll, on a clock of its own; `waits` are the pauses, in milliseconds. */
async function follow(
  shows: readonly Seen[],
  job: Partial<FollowedJob<string>> & { readonly pollTakesMs?: number; readonly upMs?: number } = {},
) {
  let nowMs = 0;
  let polls = 0;
  const waits: number[] = [];
  const clock: JobClock = {
    nowMs: () => nowMs,
    upMs: () => (job.upMs ?? 3_600_000) + nowMs,
    sleep: async (ms) => {
      waits.push(ms);
      nowMs += ms;
    },
  };
  const poll = async () => {
    nowMs += job.pollTakesMs ?? 0;
    const shown = shows[polls++] ?? pending;
    if (shown instanceof ProviderError) {
      throw shown;
    }
    return shown;
  };
  const collect = async function* () {
    yield image;
  };
  const events: ProviderEvent[] = [];
  let error: unknown = null;
  try {
    const { signal } = new AbortController();
    for await (const event of followJob(
      { poll, collect, isNew: true, ageMs: 0, signal, ...job },
      JOB_PACE,
      clock,
    )) {
      events.push(event);
    }
  } catch (thrown) {
    error = thrown;
  }
  return { events, error, waits, polls };
}

const lost = (failure: 'transport' | 'output-expired') =>
  async function* (): AsyncGenerator<ProviderEvent, void> {
    yield image;
    throw new ProviderError(failure, 'scripted');
  };

describe('a job that its provider does not know', () => {
  const error = new ProviderError('unknown', 'scripted');
  const missing: Seen = { kind: 'failed', error, mayChange: 'while-new' };
  test('a new one is polled again, and is collected once it is shown', async () => {
    expect(await follow([missing, done])).toMatchObject({ polls: 2, events: [image], error: null });
  });

  test.each([
    ['less than half a minute old', { ageMs: 29_999 }],
    ['older, and whose poller has just started', { ageMs: 600_000, upMs: 29_999 }],
  ])('one that is %s is parked and polled again later', async (_what, job) => {
    expect(await follow([missing], { isNew: false, ...job })).toMatchObject({
      polls: 1,
      events: [{ ...park(3_000), error }],
      error: null,
    });
  });

  test('one that is older than half a minute is given up', async () => {
    const job = { isNew: false, ageMs: 30_000, upMs: 30_000 };
    expect(await follow([missing, done], job)).toMatchObject({ polls: 1, events: [], error });
  });
});

describe('a job that has ended and shows no image', () => {
  const error = new ProviderError('no-image', 'scripted');
  const empty: Seen = { kind: 'failed', error, mayChange: 'once' };
  test.each([true, false])('is polled once more before it counts as empty; new: %s', async (isNew) => {
    const job = { isNew, ageMs: 600_000 };
    expect(await follow([empty, done], job)).toMatchObject({ polls: 2, events: [image], error: null });
    expect(await follow([empty, empty, done], job)).toMatchObject({ polls: 2, events: [], error });
  });
});

describe('a fresh job', () => {
  test('a fresh job is polled soon, then less often, and gives up its slot after a few seconds', async () => {
    expect(await follow([])).toMatchObject({ waits: [1_000, 1_500], polls: 2, events: [park(3_000)] });
  });

  test('a fresh job is collected as soon as it is done', async () => {
    expect(await follow([pending, done])).toMatchObject({ polls: 2, events: [image], error: null });
  });

  test('a fresh job that is done by the time it was submitted is collected without a poll', async () => {
    const known = { kind: 'done', result: 'x' } as const;
    expect(await follow([], { known })).toMatchObject({ waits: [], polls: 0, events: [image] });
  });

  test('a fresh job whose polls take long gives up its slot all the same', async () => {
    expect(await follow([], { pollTakesMs: 3_500 })).toMatchObject({ polls: 1, events: [park(3_000)] });
  });

  test('a fresh job that has failed is not polled again', async () => {
    const error = new ProviderError('moderation', 'scripted');
    expect(await follow([{ kind: 'failed', error }, done])).toMatchObject({ polls: 1, events: [], error });
  });
});

describe('a resumed job', () => {
  test('a resumed job is polled once, at once, and parked again', async () => {
    expect(await follow([], { isNew: false })).toMatchObject({ waits: [], polls: 1, events: [park(3_000)] });
  });

  test('a resumed job is collected when it is done', async () => {
    expect(await follow([done], { isNew: false })).toMatchObject({ waits: [], events: [image] });
  });
});

describe('a failed poll', () => {
  test.each(['upstream-error', 'auth', 'model-gone', 'transport'] as const)(
    'a failed poll says nothing about the job: %s',
    async (failure) => {
      const seen = await follow([new ProviderError(failure, 'scripted'), done]);
      expect(seen).toMatchObject({ polls: 2, events: [image], error: null });
    },
  );

  test('a failed poll whose answer cannot be read is repeated in a later attempt', async () => {
    const error = new ProviderError('bad-response', 'scripted');
    const seen = await follow([pending, error, done]);
    expect(seen).toMatchObject({ polls: 2, events: [{ ...park(3_000), error }] });
  });

  test('a failed poll is repeated when the provider wants, within the time to follow', async () => {
    expect(await follow([broken(2_500), done])).toMatchObject({ waits: [1_000, 2_500], events: [image] });
  });

  test('a failed poll is repeated in a later attempt when the provider wants to be left alone for longer', async () => {
    expect(await follow([broken(9_000)])).toMatchObject({ polls: 1, events: [park(9_000)] });
    expect(await follow([broken(9_000)], { isNew: false })).toMatchObject({ events: [park(9_000)] });
  });

  test.each([3_600_000, Number.POSITIVE_INFINITY])(
    'a failed poll is repeated within a minute, whatever the provider wants: %d ms',
    async (pauseMs) => {
      expect(await follow([broken(pauseMs)])).toMatchObject({ events: [park(60_000)] });
    },
  );

  test('a failed poll is told to the log with the parking', async () => {
    const error = broken(0);
    expect((await follow([error], { isNew: false })).events).toEqual([{ ...park(3_000), error }]);
    expect((await follow([pending], { isNew: false })).events).toEqual([park(3_000)]);
  });

  test('a failed poll is no look when our own code is at fault', async () => {
    const poll = () => Promise.reject(new TypeError('a bug'));
    expect(await follow([], { poll, isNew: false })).toMatchObject({
      events: [],
      error: expect.any(TypeError),
    });
  });
});

describe('an image that can not be had', () => {
  test('an image that can not be had now is fetched in a later attempt: the job is parked, not failed', async () => {
    expect(await follow([done], { collect: lost('transport') })).toMatchObject({
      events: [image, park(3_000)],
      error: null,
    });
  });

  test('an image that can not be had any more fails the call, after those that could be had', async () => {
    const { events, error } = await follow([done], { collect: lost('output-expired') });
    expect([events, error]).toMatchObject([[image], { failure: 'output-expired' }]);
  });
});

describe('the end of a call', () => {
  const ended: readonly (readonly [string, Partial<FollowedJob<string>>])[] = [
    ['while it waits', { isNew: true }],
    ['while it polls', { poll: () => Promise.reject(broken()) }],
    ['while it collects', { collect: lost('transport') }],
  ];
  test.each(ended)('the end of a call is never taken for trouble of the provider: %s', async (_when, job) => {
    const events: ProviderEvent[] = [];
    const all = async () => {
      const whole: FollowedJob<string> = {
        poll: () => Promise.resolve({ kind: 'done', result: 'x' }),
        collect: lost('output-expired'),
        isNew: false,
        ageMs: 0,
        signal: AbortSignal.abort(new Error('the end')),
        ...job,
      };
      for await (const event of followJob(whole)) {
        events.push(event);
      }
    };
    await expect(all()).rejects.not.toBeInstanceOf(ProviderError);
    expect(events.filter(({ type }) => type === 'park')).toEqual([]);
  });
});
