import { afterEach, describe, expect, test } from '@jest/globals';
import { createOpenai } from '../../src/providers/openai/create-openai.js';
import type { ProviderRequest } from '../../src/providers/port.js';
import { aRequest, buildInput } from './support/a-request.js';
import { collectEvents } from './support/collect-events.js';
import type { Difference } from './support/compare-request.js';
import { describeOutcome, wanted } from './support/describe-outcome.js';
import { type Fixture, loadFixtures, type WireRequest } from './support/fixture.js';
import { type Replay, startReplay } from './support/replay.js';
import { upstreamAt } from './support/upstream-at.js';

type Part = NonNullable<WireRequest['multipart']>[number];
type Recorded = Readonly<Record<string, unknown>>;

/** For a case that no answer ends. */
const SHORT_MS = 2_000;
const LONG_MS = 10_000;
/** Default fields of our request; a route's options are needed only where a case has others. */
const OURS: Recorded = {
  quality: 'medium',
  output_format: 'png',
  response_format: 'b64_json',
};
const SIZES: Readonly<Record<string, Pick<ProviderRequest, 'aspectRatio' | 'resolution'>>> = {
  '1536x864': { aspectRatio: '16:9', resolution: '1k' },
  '2160x3840': { aspectRatio: '9:16', resolution: '4k' },
  '1376x768': { aspectRatio: '16:9', resolution: '1k' },
};
const explicit = 'everything is said explicitly, whatever the default is';
const quality: Difference = { at: '/multipart/quality', ours: ['medium'], because: explicit };
const DIFFERENCES: Readonly<Record<string, readonly Difference[]>> = {
  'edit-multipart-9-images': [quality],
  'edit-json-urls': [quality],
  'invalid-input-image': [
    quality,
    { at: '/multipart/n', ours: ['1'], because: explicit },
    { at: '/multipart/size', ours: ['1536x864'], because: explicit },
    { at: '/multipart/output_format', ours: ['png'], because: explicit },
    { at: '/multipart/image[]/0/filename', ours: 'in-0.png', because: 'images are numbered' },
  ],
  'edit-multipart': [
    { at: '/multipart/n', ours: ['1'], because: explicit },
    { at: '/multipart/response_format', ours: ['b64_json'], because: explicit },
  ],
};

let replay: Replay | undefined;
afterEach(() => replay?.close());

/** Images go along as files in a form; OpenAI would also take JSON with addresses of them, which ours never are. */
function asForm({ exchanges, meta }: Fixture): Fixture['exchanges'] {
  const [first, ...rest] = exchanges;
  if (meta.case !== 'edit-json-urls' || first === undefined) {
    return exchanges;
  }
  const { images, ...fields } = first.request.body as Recorded & { images: { image_url: string }[] };
  const multipart: Part[] = [
    ...Object.entries(fields).map(([name, value]) => ({ name, value: String(value) })),
    ...images.map(({ image_url }, index) => filePart(index, image_url.split(',')[1] ?? 'AAAA')),
  ];
  const headers = { ...first.request.headers, 'content-type': 'multipart/form-data; boundary=<any>' };
  const { body: _, ...request } = first.request;
  return [{ ...first, request: { ...request, headers, multipart } }, ...rest];
}

/** Vendors have versions of their own in their addresses. */
const getApiPath = ({ url }: WireRequest): string => new URL(url).pathname.replace(/\/images\/\w+$/, '');

const filePart = (index: number, bodyBase64: string): Part => ({
  name: 'image[]',
  filename: `in-${index}.png`,
  contentType: 'image/png',
  bodyBase64,
});

function requestFor(recorded: WireRequest): ProviderRequest {
  const parts = recorded.multipart ?? [];
  const form = parts.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
  const body = (recorded.body ?? Object.fromEntries(form)) as Recorded;
  const { model, prompt, negative_prompt: negative, n = 1, size = '1536x864', ...rest } = body;
  const known = SIZES[String(size)];
  const options = Object.entries(rest);
  return aRequest({
    model: String(model),
    key: { fingerprint: 'test', secret: recorded.headers.authorization?.slice('Bearer '.length) ?? '' },
    prompt: String(prompt),
    negativePrompt: typeof negative === 'string' ? negative : null,
    slots: Array.from({ length: Number(n) }, (_, index) => index),
    inputs: parts.flatMap(({ bodyBase64 }) => (bodyBase64 === undefined ? [] : [buildInput(bodyBase64)])),
    options: Object.fromEntries(options.filter(([name, value]) => OURS[name] !== value)),
    // Pixels that no ratio gives are those of a route.
    ...(known ?? { size: String(size) }),
  });
}

describe.each([
  ['openai', 'openai'],
  ['openai-compatible', 'compatible'],
] as const)('an answer as of %s is read as recorded', (folder, dialect) => {
  test.each([...loadFixtures(folder)])('%s', async (name, fixture) => {
    const exchanges = asForm(fixture);
    const [first] = exchanges;
    if (first === undefined) {
      throw new Error(`${name} is empty`);
    }
    replay = await startReplay(exchanges);
    const ms = first.response.fault ? SHORT_MS : LONG_MS;
    const provider = createOpenai(
      { upstream: upstreamAt('openai', replay.url, getApiPath(first.request)), dialect },
      { timeoutMs: { openai: ms, compatible: ms }, downloadPausesMs: [] },
    );
    const collected = await collectEvents(provider, requestFor(first.request));
    expect(await replay.faults(DIFFERENCES[name])).toEqual([]);
    const { expected } = fixture.meta;
    expect(describeOutcome(collected, expected)).toEqual(wanted(expected));
  });
});

describe('an answer', () => {
  const fixtures = loadFixtures('openai');
  const ask = async (name: string, changes: Partial<ProviderRequest> = {}) => {
    const { exchanges } = fixtures.get(name) ?? { exchanges: [] };
    const [first] = exchanges;
    if (first === undefined) {
      throw new Error(`no fixture ${name}`);
    }
    replay = await startReplay(exchanges);
    const provider = createOpenai({ upstream: upstreamAt('openai', replay.url), dialect: 'openai' });
    return collectEvents(provider, { ...requestFor(first.request), ...changes });
  };

  test('an answer has the numbers of the images that were asked for, in order, and its id', async () => {
    const { events } = await ask('success-t2i', { slots: [1, 3] });
    expect(events.map((event) => (event.type === 'image' ? event.slot : event))).toEqual([
      { type: 'upstream-id', id: 'req_sample0001' },
      { type: 'usage', tokens: { textIn: 17, imageIn: 0, textOut: 0, imageOut: 3_168 } },
      1,
      3,
    ]);
  });

  test('an answer with more images than asked for gives those that were asked for', async () => {
    const { events } = await ask('success-t2i', { slots: [2] });
    expect(events.filter(({ type }) => type === 'image')).toMatchObject([{ slot: 2 }]);
  });

  test('an answer that is a refusal has its id and never the key', async () => {
    const secret = 'organization';
    const { error } = await ask('auth-403-org-verification', { key: { fingerprint: 'test', secret } });
    expect(error?.upstreamId).toBe('req_sample0001');
    expect(error?.message).toContain('[key]');
    expect(error?.message).not.toContain(secret);
  });

  test('an answer that asks to be left alone says so in its headers before it says so in words', async () => {
    const [exchange] = fixtures.get('rate-limit-429-no-header')?.exchanges ?? [];
    if (exchange === undefined) {
      throw new Error('no fixture');
    }
    const response = { ...exchange.response, headers: { ...exchange.response.headers, 'retry-after': '7' } };
    replay = await startReplay([{ ...exchange, response }]);
    const provider = createOpenai({ upstream: upstreamAt('openai', replay.url), dialect: 'openai' });
    const { error } = await collectEvents(provider, requestFor(exchange.request));
    expect(error).toMatchObject({ failure: 'rate-limit', retryAfterMs: 7_000 });
  });

  test('an answer can be had without a key', async () => {
    await ask('success-t2i', { key: null });
    expect(replay?.requests[0]?.headers).not.toHaveProperty('authorization');
  });
});
