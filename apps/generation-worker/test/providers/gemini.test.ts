import { afterEach, describe, expect, test } from '@jest/globals';
import { createGemini } from '../../src/providers/gemini/create-gemini.js';
import { asRecord } from '../../src/providers/http/json-decoder.js';
import type { InputImage, ProviderRequest } from '../../src/providers/port.js';
import { aRequest, buildInput } from './support/a-request.js';
import { type Collected, collectEvents } from './support/collect-events.js';
import type { Difference } from './support/compare-request.js';
import { describeOutcome, wanted } from './support/describe-outcome.js';
import { type Fixture, loadFixtures, type WireRequest } from './support/fixture.js';
import { type Replay, startReplay } from './support/replay.js';
import { upstreamAt } from './support/upstream-at.js';

const fixtures = loadFixtures('gemini');
const KEY = { fingerprint: 'test', secret: 'TEST_GEMINI_KEY' };
const IMAGE = 'iVBORw0KGgo=';
/** Long enough for a busy machine, but for the one case in which no answer comes. */
const timeoutFor = (name: string): number => (name === 'timeout-client' ? 1_000 : 20_000);

/** Where our request is not the recorded one. */
const DIFFERENCES: Readonly<Record<string, readonly Difference[]>> = {
  'edit-file-uri': [
    {
      at: '/body/contents/0/parts/1',
      ours: { inlineData: { mimeType: 'image/png', data: IMAGE } },
      because: 'images are sent as bytes, never as an address to fetch them from',
    },
  ],
  'partial-fanout-one-moderated': [
    {
      at: '/body/generationConfig/seed',
      ours: undefined,
      because: 'one seed for all calls of a task would draw the same image again',
    },
  ],
  'deadline-504': [
    {
      at: '/headers/x-server-timeout',
      ours: '10',
      because: 'the timeout of the server is ten seconds shorter than our own, which is twenty in this test',
    },
  ],
};

let replay: Replay | undefined;
afterEach(() => replay?.close());

/** The request that a recorded one answers to; what we set by no default of our own stands in the options of a route. */
function requestFor({ url, headers, body }: WireRequest, name: string): ProviderRequest {
  const { contents, safetySettings, generationConfig } = body as {
    readonly contents: readonly [{ readonly parts: readonly unknown[] }];
    readonly safetySettings: unknown;
    readonly generationConfig: Readonly<Record<string, unknown>>;
  };
  const { candidateCount, seed, imageConfig, ...others } = generationConfig;
  const { aspectRatio, imageSize } = imageConfig as { aspectRatio: '16:9' | '9:16'; imageSize?: string };
  const [first, ...images] = contents[0].parts;
  const keepsSeed = seed !== undefined && name !== 'partial-fanout-one-moderated';
  return aRequest({
    model: /models\/([^:]+):/.exec(url)?.[1] ?? '',
    key: 'x-goog-api-key' in headers ? KEY : null,
    prompt: String(asRecord(first)?.text),
    aspectRatio,
    resolution: (imageSize ?? '1K').toLowerCase() as ProviderRequest['resolution'],
    takesResolution: imageSize !== undefined,
    inputs: images.map((part) => inputIn(part)),
    options: { safetySettings, ...others, ...(keepsSeed && { seed }) },
  });
}

function inputIn(part: unknown): InputImage {
  const inline = asRecord(asRecord(part)?.inlineData);
  return buildInput(String(inline?.data ?? IMAGE));
}

/** One call for each recorded request. */
async function callAll({ meta, exchanges }: Fixture, url: string): Promise<Collected[]> {
  const timeoutMs = timeoutFor(meta.case);
  const times = { timeoutMs, largeTimeoutMs: timeoutMs };
  const provider = createGemini({ upstream: upstreamAt('gemini', url) }, times);
  const collected: Collected[] = [];
  for (const [slot, { request }] of exchanges.entries()) {
    collected.push(await collectEvents(provider, { ...requestFor(request, meta.case), slots: [slot] }));
  }
  return collected;
}

describe('gemini', () => {
  const cases = [...fixtures.values()].filter(({ meta }) => meta.expected.outcome !== 'partial');
  test.each(cases.map((fixture) => [fixture.meta.case, fixture] as const))(
    'an answer of Gemini is read as recorded: %s',
    async (name, fixture) => {
      const { expected } = fixture.meta;
      replay = await startReplay(fixture.exchanges);
      const [collected] = await callAll(fixture, replay.url);
      if (!collected) {
        throw new Error('nothing was asked');
      }
      expect(await replay.faults(DIFFERENCES[name])).toEqual([]);
      expect(describeOutcome(collected, expected)).toEqual(wanted(expected));
    },
  );

  test('four calls for four images, of which one is refused: the other three have their numbers', async () => {
    const fixture = fixtures.get('partial-fanout-one-moderated');
    if (!fixture) {
      throw new Error('no fixture');
    }
    replay = await startReplay(fixture.exchanges);
    const collected = await callAll(fixture, replay.url);
    expect(await replay.faults(DIFFERENCES['partial-fanout-one-moderated'])).toEqual([]);
    const slots = collected.map(({ events }) =>
      events.flatMap((one) => (one.type === 'image' ? one.slot : [])),
    );
    expect(slots).toEqual([[0], [1], [], [3]]);
    for (const { index, ...failure } of fixture.meta.expected.failures ?? []) {
      const one = collected[index];
      expect(one && describeOutcome(one, failure)).toEqual(wanted(failure));
    }
  });

  test('a quota of the day is no short pause, whatever the answer says', async () => {
    const fixture = fixtures.get('quota-per-day-limit-zero');
    if (!fixture) {
      throw new Error('no fixture');
    }
    replay = await startReplay(fixture.exchanges);
    const [collected] = await callAll(fixture, replay.url);
    expect(collected?.error).toMatchObject({ failure: 'model-quota', retryAfterMs: undefined });
  });

  test('an answer names the id that Google knows the call by', async () => {
    const fixture = fixtures.get('success-t2i');
    if (!fixture) {
      throw new Error('no fixture');
    }
    replay = await startReplay(fixture.exchanges);
    const [collected] = await callAll(fixture, replay.url);
    expect(collected?.events[0]).toEqual({ type: 'upstream-id', id: 'Qm9haVNhbXBsZUlkMDE' });
  });

  test('a refusal that quotes the key is told without it', async () => {
    const [exchange] = fixtures.get('auth-project-denied')?.exchanges ?? [];
    if (!exchange) {
      throw new Error('no fixture');
    }
    const message = `Consumer 'api_key:${KEY.secret}' has been suspended.`;
    const body = { error: { code: 403, message, status: 'PERMISSION_DENIED' } };
    replay = await startReplay([{ ...exchange, response: { status: 403, headers: {}, body } }]);
    const provider = createGemini({ upstream: upstreamAt('gemini', replay.url) });
    const { error } = await collectEvents(provider, requestFor(exchange.request, 'auth-project-denied'));
    expect(error?.message).toContain("'api_key:[key]' has been suspended");
    expect(error?.message).not.toContain(KEY.secret);
  });
});
