import { afterEach, describe, expect, test } from '@jest/globals';
import { createFal } from '../../src/providers/fal/create-fal.js';
import type { ProviderRequest } from '../../src/providers/port.js';
import { aRequest, buildInput } from './support/a-request.js';
import { collectEvents, freeScope } from './support/collect-events.js';
import type { Difference } from './support/compare-request.js';
import { describeOutcome, wanted } from './support/describe-outcome.js';
import { type Exchange, type Fixture, loadFixtures } from './support/fixture.js';
import { followThrough, IMPATIENT, PATIENT } from './support/follow-through.js';
import { type Replay, startReplay } from './support/replay.js';
import { upstreamAt } from './support/upstream-at.js';

const fixtures = loadFixtures('fal');
const HOST = 'https://queue.fal.run';
const ID = '764cabcf-b745-4b3e-ae38-1200304cf45b';
const KEY = { fingerprint: 'test', secret: 'TEST_FAL_ID:TEST_FAL_SECRET' };
const IMAGE = buildInput('iVBORw0KGgo=');

/** The gateway asks for results itself and takes no webhooks of providers: nobody reads these. */
const WEBHOOKS = [...fixtures.keys()].filter((name) => name.startsWith('webhook-'));
const CANCELS = ['cancel-accepted', 'cancel-too-late'];

const START_TIMEOUT: Difference = {
  at: '/headers/x-fal-request-timeout',
  ours: '60',
  because: 'a job that does not start within a minute is better taken elsewhere',
  exchange: 0,
};
const NO_FALLBACK: Difference = {
  at: '/headers/x-app-fal-disable-fallback',
  ours: 'true',
  because: 'another endpoint draws otherwise, and the response does not say so',
  exchange: 0,
};
const KEEPS_LITTLE: readonly Difference[] = [
  {
    at: '/headers/x-fal-store-io',
    ours: '0',
    because: 'fal keeps prompts for 30 days otherwise',
    exchange: 0,
  },
  {
    at: '/headers/x-fal-object-lifecycle-preference',
    ours: '{"expiration_duration_seconds":3660}',
    because: 'images stay at public addresses for ever otherwise',
    exchange: 0,
  },
];
const surplus = 'more images than were asked for would be billed';
const DIFFERENCES: Readonly<Record<string, readonly Difference[]>> = {
  'success-2.1-google-namespace': [
    { at: '/body/limit_generations', ours: true, because: surplus, exchange: 0 },
    { at: '/body/safety_tolerance', ours: '4', because: 'everything is said explicitly', exchange: 0 },
  ],
  'edit-9-images': [
    {
      at: '/body/image_urls',
      ours: Array.from({ length: 9 }, () => 'data:image/png;base64,iVBORw0KGgo='),
      because: 'images are sent as data URLs, never as the addresses that the customer gave',
      exchange: 0,
    },
  ],
};
/** Route options that produce the recorded request. */
const OPTIONS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'edit-nano-banana-data-uri': { sync_mode: true },
  'success-2.1-google-namespace': { output_format: 'jpeg' },
};

let replay: Replay | undefined;
afterEach(() => replay?.close());

const at = (model: string, part = '') => `${HOST}/${model}/requests/${ID}${part}`;
const get = (url: string, status: number, body: unknown): Exchange => ({
  request: {
    method: 'GET',
    url,
    headers: url.startsWith(HOST) ? { authorization: `Key ${KEY.secret}` } : {},
  },
  response: { status, headers: { 'content-type': 'application/json' }, body },
});

/** A case from its first request on: ours always asks for the status before the result, and for the result before an image. */
function wholeCase({ meta, exchanges }: Fixture): readonly Exchange[] {
  const url = exchanges[0]?.request.url ?? '';
  const model = new URL(url).pathname.split('/').slice(1, 3).join('/');
  const completed = (of: string) =>
    get(at(of, '/status?logs=0'), 200, { status: 'COMPLETED', request_id: ID });
  if (meta.case === 'async-completed') {
    return [...exchanges, get(at(model), 202, { status: 'IN_PROGRESS' })];
  }
  if (!url.startsWith(HOST)) {
    const of = 'fal-ai/nano-banana';
    return [completed(of), get(at(of), 200, { images: [{ url }] }), ...exchanges];
  }
  return url.endsWith(ID) ? [completed(model), ...exchanges] : exchanges;
}

function requestFor({ meta, exchanges }: Fixture): ProviderRequest {
  const [first] = exchanges;
  const path = new URL(first?.request.url ?? HOST).pathname;
  const slots = Array.from({ length: meta.expected.images ?? 1 }, (_, index) => index);
  if (first?.request.method !== 'POST') {
    const model = path.includes('/requests/') ? path.split('/').slice(1, 3).join('/') : 'fal-ai/nano-banana';
    return aRequest({ model, key: KEY, slots, job: { id: ID, handle: null } });
  }
  const body = first.request.body as Readonly<Record<string, unknown>>;
  const urls = (body.image_urls ?? []) as readonly string[];
  return aRequest({
    model: path.slice(1).replace(/\/edit$/, ''),
    key: KEY,
    prompt: String(body.prompt),
    aspectRatio: (body.aspect_ratio ?? '16:9') as ProviderRequest['aspectRatio'],
    resolution: body.resolution === '2K' ? '2k' : '1k',
    takesResolution: body.resolution !== undefined,
    slots: Array.from({ length: Number(body.num_images) }, (_, index) => index),
    inputs: urls.map((url) => (url.startsWith('data:') ? buildInput(url.split(',')[1] ?? '') : IMAGE)),
    options: OPTIONS[meta.case] ?? {},
  });
}

describe('an answer of fal is read as recorded', () => {
  const cases = [...fixtures.values()].filter(
    ({ meta }) => !WEBHOOKS.includes(meta.case) && !CANCELS.includes(meta.case),
  );
  test.each(cases.map((fixture) => [fixture.meta.case, fixture] as const))(
    'an answer of fal is read as recorded: %s',
    async (name, fixture) => {
      const exchanges = wholeCase(fixture);
      const { expected } = fixture.meta;
      replay = await startReplay(exchanges);
      const { requests, url, faults } = replay;
      const pace = expected.outcome === 'pending' ? IMPATIENT : PATIENT;
      const times = { submitTimeoutMs: 5_000, callTimeoutMs: 5_000, pace };
      const provider = createFal({ upstream: upstreamAt('fal', url) }, times);
      const seen = await followThrough(
        provider,
        requestFor(fixture),
        () => requests.length < exchanges.length,
      );
      const submitted = fixture.exchanges[0]?.request.method === 'POST';
      expect(
        await faults([
          ...(submitted ? [START_TIMEOUT, NO_FALLBACK, ...KEEPS_LITTLE] : []),
          ...(DIFFERENCES[name] ?? []),
        ]),
      ).toEqual([]);
      expect(describeOutcome(seen, asOurs(expected))).toEqual(wanted(asOurs(expected)));
      const withKey = requests.filter(
        ({ path, headers }) => /\.(png|jpeg)$/.test(path) && headers.authorization,
      );
      expect(withKey).toEqual([]);
    },
  );
});

describe('what fal keeps', () => {
  test.each([
    [900_000, 960],
    [1, 61],
    [-5, 60],
    [86_400_000, 86_460],
  ])(
    'a submission to fal has no request kept, and its images for a minute longer than they can be asked for: %d ms',
    async (neededMs, seconds) => {
      const url = `${HOST}/fal-ai/nano-banana`;
      replay = await startReplay([
        {
          request: { method: 'POST', url, headers: {} },
          response: { status: 200, body: { request_id: ID } },
        },
      ]);
      const provider = createFal({ upstream: upstreamAt('fal', replay.url) }, { pace: IMPATIENT });
      const request = aRequest({ model: 'fal-ai/nano-banana', key: KEY });
      await collectEvents(provider, request, { ...freeScope(), neededMs });
      expect(replay.requests[0]?.headers).toMatchObject({
        'x-fal-store-io': '0',
        'x-fal-object-lifecycle-preference': `{"expiration_duration_seconds":${seconds}}`,
      });
    },
  );
});

/** Maps a partial outcome to success: a call with fewer images than requested succeeds, and its caller counts the missing ones. */
function asOurs(expected: Fixture['meta']['expected']): Fixture['meta']['expected'] {
  return expected.outcome === 'partial' ? { ...expected, outcome: 'success' } : expected;
}

describe('a cancellation at fal', () => {
  test.each(CANCELS)('an answer of fal is read as recorded: %s', async (name) => {
    const fixture = fixtures.get(name);
    if (!fixture) {
      throw new Error(`no fixture ${name}`);
    }
    replay = await startReplay(fixture.exchanges);
    const provider = createFal({ upstream: upstreamAt('fal', replay.url) });
    const job = { id: ID, handle: null, model: 'fal-ai/nano-banana/edit', key: KEY };
    expect(await provider.cancel?.(job, freeScope())).toBe(fixture.meta.expected.accepted);
    expect(await replay.faults()).toEqual([]);
  });

  test('a cancellation at fal of a job that nobody knows is too late, trouble is an error', async () => {
    const cancel = async (status: number) => {
      await replay?.close();
      const url = at('fal-ai/nano-banana', '/cancel');
      replay = await startReplay([{ request: { method: 'PUT', url, headers: {} }, response: { status } }]);
      const provider = createFal({ upstream: upstreamAt('fal', replay.url) });
      return provider.cancel?.({ id: ID, handle: null, model: 'fal-ai/nano-banana', key: null }, freeScope());
    };
    expect(await cancel(404)).toBe(false);
    await expect(cancel(500)).rejects.toMatchObject({ failure: 'upstream-error' });
  });
});
