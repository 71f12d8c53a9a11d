import { afterEach, describe, expect, test } from '@jest/globals';
import type { ProviderEvent, ProviderRequest } from '../../src/providers/port.js';
import { createReplicate } from '../../src/providers/replicate/create-replicate.js';
import { aRequest, buildInput } from './support/a-request.js';
import { freeScope } from './support/collect-events.js';
import type { Difference } from './support/compare-request.js';
import { describeOutcome, wanted } from './support/describe-outcome.js';
import { type Exchange, type Fixture, loadFixtures } from './support/fixture.js';
import { followThrough, IMPATIENT, PATIENT } from './support/follow-through.js';
import { type Replay, startReplay } from './support/replay.js';
import { upstreamAt } from './support/upstream-at.js';

const fixtures = loadFixtures('replicate');
const HOST = 'https://api.replicate.com';
const ID = 'rrr4z55ocneqzikepnug6xezpe';
const KEY = { fingerprint: 'test', secret: 'TEST_REPLICATE_TOKEN' };
const IMAGE = buildInput('iVBORw0KGgo=');

/** The gateway asks for results itself and takes no webhooks of providers: nobody reads these. */
const WEBHOOKS = [...fixtures.keys()].filter((name) => name.startsWith('webhook-'));
/** Has tests of its own below. */
const APART = ['cancel', 'success-fanout-2'];

const NO_WAIT: Difference = {
  at: '/headers/prefer',
  ours: undefined,
  because: 'the place of a worker is not held for a minute: a job that takes long is parked',
};
const DIFFERENCES: Readonly<Record<string, readonly Difference[]>> = {
  'success-prefer-wait': [{ ...NO_WAIT, exchange: 0 }],
  'success-prefer-wait-timeout': [{ ...NO_WAIT, exchange: 0 }],
  'success-fanout-2': [
    { ...NO_WAIT, exchange: 0 },
    { ...NO_WAIT, exchange: 1 },
  ],
  'model-gone-422': [
    {
      at: '/body/version',
      ours: 'google/nano-banana-old:5f4d',
      because: 'only a model with a version is asked for at this path',
    },
  ],
  'edit-9-images': [
    {
      at: '/body/input/image_input',
      ours: Array.from({ length: 9 }, () => 'data:image/png;base64,iVBORw0KGgo='),
      because: 'small images are sent as data URLs, never as the addresses that the customer gave',
      exchange: 0,
    },
  ],
};

let replay: Replay | undefined;
afterEach(() => replay?.close());

/** A case from its first request on: an image is asked for after the prediction that names it. */
function wholeCase({ exchanges }: Fixture): readonly Exchange[] {
  const url = exchanges[0]?.request.url ?? '';
  if (url.startsWith(HOST)) {
    return exchanges;
  }
  const headers = { authorization: `Bearer ${KEY.secret}` };
  const request = { method: 'GET', url: `${HOST}/v1/predictions/${ID}`, headers };
  const prediction = { id: ID, status: 'succeeded', output: url };
  return [{ request, response: { status: 200, body: prediction } }, ...exchanges];
}

function requestFor({ meta, exchanges }: Fixture): ProviderRequest {
  const [first] = exchanges;
  const slots = Array.from({ length: meta.expected.images ?? 1 }, (_, index) => index);
  if (first?.request.method !== 'POST') {
    return aRequest({ model: 'google/nano-banana-pro', key: KEY, slots, job: { id: ID, handle: null } });
  }
  const { input, version } = first.request.body as {
    readonly input: Readonly<Record<string, unknown>>;
    readonly version?: string;
  };
  const [, , , owner, name] = new URL(first.request.url).pathname.split('/');
  const urls = input.image_input as readonly string[];
  return aRequest({
    model: version === undefined ? `${owner}/${name}` : `${version}:5f4d`,
    key: KEY,
    prompt: String(input.prompt),
    aspectRatio: (input.aspect_ratio ?? '16:9') as ProviderRequest['aspectRatio'],
    resolution: input.resolution === '2K' ? '2k' : '1k',
    takesResolution: input.resolution !== undefined,
    inputs: urls.map((url) => (url.startsWith('data:') ? buildInput(url.split(',')[1] ?? '') : IMAGE)),
  });
}

const TIMES = { submitTimeoutMs: 5_000, uploadTimeoutMs: 5_000, callTimeoutMs: 5_000 };

describe('an answer of Replicate is read as recorded', () => {
  const cases = [...fixtures.values()].filter(
    ({ meta }) => !WEBHOOKS.includes(meta.case) && !APART.includes(meta.case),
  );
  test.each(cases.map((fixture) => [fixture.meta.case, fixture] as const))(
    'an answer of Replicate is read as recorded: %s',
    async (name, fixture) => {
      const exchanges = wholeCase(fixture);
      const { expected } = fixture.meta;
      replay = await startReplay(exchanges);
      const { requests, url, faults } = replay;
      const pace = expected.outcome === 'pending' ? IMPATIENT : PATIENT;
      const provider = createReplicate({ upstream: upstreamAt('replicate', url) }, { ...TIMES, pace });
      const seen = await followThrough(
        provider,
        requestFor(fixture),
        () => requests.length < exchanges.length,
      );
      expect(await faults(DIFFERENCES[name])).toEqual([]);
      expect(requests.filter(({ headers }) => headers.prefer)).toEqual([]);
      expect(describeOutcome(seen, asOurs(expected))).toEqual(wanted(asOurs(expected)));
    },
  );
});

/** A prediction that nobody knows any more is an unknown outcome: it may have been billed, and no provider is asked in its place. */
function asOurs(expected: Fixture['meta']['expected']): Fixture['meta']['expected'] {
  if (expected.errorClass !== 'LOST') {
    return expected;
  }
  return { ...expected, errorClass: 'TIMEOUT', failover: false, circuit: 'count', ambiguous: true };
}

test('two images are two predictions', async () => {
  const fixture = fixtures.get('success-fanout-2');
  if (!fixture) {
    throw new Error('no fixture success-fanout-2');
  }
  replay = await startReplay(fixture.exchanges);
  const { url, faults } = replay;
  const provider = createReplicate({ upstream: upstreamAt('replicate', url) });
  const calls = [0, 1].map((slot) =>
    provider.generate({ ...requestFor(fixture), slots: [slot] }, freeScope()),
  );
  const events: ProviderEvent[] = [];
  // Each step of both before the next one: their order on the wire is the recorded one.
  for (const _step of ['create', 'download', 'end']) {
    for (const call of calls) {
      const { value } = await call.next();
      if (value) {
        events.push(value);
      }
    }
  }
  expect(await faults(DIFFERENCES['success-fanout-2'])).toEqual([]);
  expect(events.map((event) => [event.type, event.type === 'image' ? event.slot : null])).toEqual([
    ['job', null],
    ['job', null],
    ['image', 0],
    ['image', 1],
  ]);
});

describe('a cancellation at Replicate', () => {
  const cancel = async (exchanges: readonly Exchange[]) => {
    await replay?.close();
    replay = await startReplay(exchanges);
    const provider = createReplicate({ upstream: upstreamAt('replicate', replay.url) });
    const job = { id: ID, handle: null, model: 'google/nano-banana-pro', key: KEY };
    return provider.cancel?.(job, freeScope());
  };
  const answering = (status: number, body: unknown = {}): Exchange[] => {
    const url = `${HOST}/v1/predictions/${ID}/cancel`;
    return [{ request: { method: 'POST', url, headers: {} }, response: { status, body } }];
  };

  test('a cancellation at Replicate is asked for as recorded', async () => {
    expect(await cancel(fixtures.get('cancel')?.exchanges ?? [])).toBe(true);
    expect(await replay?.faults()).toEqual([]);
  });

  test.each([
    [200, { status: 'processing' }, true],
    [200, { status: 'succeeded' }, false],
    [200, { status: 'failed' }, false],
    [404, {}, false],
  ])('a cancellation at Replicate: %d %j', async (status, body, accepted) => {
    expect(await cancel(answering(status, body))).toBe(accepted);
  });

  test('a cancellation at Replicate that meets trouble is an error', async () => {
    await expect(cancel(answering(500))).rejects.toMatchObject({ failure: 'upstream-error' });
  });
});
