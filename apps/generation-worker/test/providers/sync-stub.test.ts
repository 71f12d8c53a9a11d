import { readBuiltInCatalog } from '@image-gateway/shared/catalog/document';
import { type StubMode, type StubUpstreams, startStubUpstreams } from '@image-gateway/stub-upstreams';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { createGemini } from '../../src/providers/gemini/create-gemini.js';
import { createOpenRouter } from '../../src/providers/openrouter/create-openrouter.js';
import type { InputImage, ProviderRequest } from '../../src/providers/port.js';
import { aRequest } from './support/a-request.js';
import { type Collected, collectEvents } from './support/collect-events.js';
import { upstreamAt } from './support/upstream-at.js';

const PATIENT_MS = 20_000;
const SHORT_MS = 1_000;
const ENDLESS: readonly StubMode[] = ['hang', 'drip'];

let stub: StubUpstreams;
beforeAll(async () => {
  stub = await startStubUpstreams();
});
afterEach(() => {
  stub.behaveWell();
  stub.forgetCalls();
});
afterAll(() => stub.close());

const CREATE = {
  gemini: (timeoutMs: number) =>
    createGemini({ upstream: upstreamAt('gemini', stub.url) }, { timeoutMs, largeTimeoutMs: timeoutMs }),
  openrouter: (timeoutMs: number) =>
    createOpenRouter({ upstream: upstreamAt('openrouter', stub.url) }, { timeoutMs }),
} as const;
type Name = keyof typeof CREATE;
const names = Object.keys(CREATE) as Name[];

/** Every route of the default table that leads there. */
const getRoutes = (name: Name) =>
  [...readBuiltInCatalog().models.values()]
    .flatMap(({ routes }) => routes)
    .filter(({ provider }) => provider === name);

function ask(name: Name, changes: Partial<ProviderRequest> = {}, timeoutMs = PATIENT_MS): Promise<Collected> {
  const key = { fingerprint: name, secret: stub.keys[name][0] ?? '' };
  const model = getRoutes(name)[0]?.model ?? '';
  return collectEvents(CREATE[name](timeoutMs), { ...aRequest({ model, key }), ...changes });
}

/** The images of a call and how it failed, in words. */
const told = ({ events, error }: Collected): string =>
  [...events.flatMap(({ type }) => (type === 'image' ? [type] : [])), ...(error ? [error.failure] : [])].join(
    ' ',
  );

async function image(background: string): Promise<InputImage> {
  const create = { width: 40, height: 30, channels: 3, background } as const;
  return { bytes: await sharp({ create }).png().toBuffer(), contentType: 'image/png', width: 40, height: 30 };
}

describe.each(names)('%s, as somebody else understands its protocol', (name) => {
  test('the provider takes what is asked by every route of the default table, in every resolution that it offers', async () => {
    const routes = getRoutes(name);
    expect(routes.length).toBeGreaterThan(1);
    for (const { model, costMicros, options, resolution: sent } of routes) {
      const resolutions = Object.keys(costMicros) as ProviderRequest['resolution'][];
      for (const resolution of resolutions) {
        const takesResolution = sent === 'sent';
        const asked = { model, options, resolution, takesResolution, aspectRatio: '9:16' } as const;
        const { events, error } = await ask(name, asked);
        expect([model, resolution, error?.message]).toEqual([model, resolution, undefined]);
        const [bytes] = events.flatMap((event) => (event.type === 'image' ? [event.bytes] : []));
        const { width, height } = await sharp(bytes).metadata();
        expect(height).toBeGreaterThan(width);
      }
    }
  });

  test('the provider takes nine images to edit, in their order', async () => {
    const colours = ['#f00', '#0f0', '#00f', '#ff0', '#0ff', '#f0f', '#000', '#888', '#fff'];
    const inputs = await Promise.all(colours.map((colour) => image(colour)));
    const seen = async (list: readonly InputImage[]): Promise<readonly string[]> => {
      stub.forgetCalls();
      expect(told(await ask(name, { inputs: list }))).toBe('image');
      return stub.calls({ provider: name }).flatMap(({ inputs: digests }) => digests);
    };
    const forwards = await seen(inputs);
    expect(new Set(forwards).size).toBe(9);
    expect(await seen([...inputs].reverse())).toEqual([...forwards].reverse());
  });

  test('the provider passes on how long it wants to be left alone', async () => {
    stub.behave(name, { mode: 'rate-limit', retryAfterS: 7 });
    expect((await ask(name)).error).toMatchObject({ failure: 'rate-limit', retryAfterMs: 7_000 });
  });

  test('the provider refuses a key that is not good', async () => {
    expect(told(await ask(name, { key: { fingerprint: 'x', secret: 'wrong' } }))).toBe('auth');
    expect(told(await ask(name, { key: null }))).toBe('auth');
  });
});

const COMMON: readonly (readonly [StubMode, string])[] = [
  ['overload', 'overload'],
  ['rate-limit', 'rate-limit'],
  ['auth', 'auth'],
  ['model-gone', 'model-gone'],
  ['server-error', 'upstream-error'],
  ['timeout', 'timeout'],
  ['moderation', 'moderation'],
  ['no-image', 'no-image'],
  ['broken-image', 'image'],
  ['down', 'unknown'],
  ['lost-answer', 'unknown'],
  ['hang', 'unknown'],
  ['drip', 'unknown'],
  ['truncated', 'bad-response'],
  ['huge', 'bad-response'],
  ['html', 'bad-response'],
  ['empty', 'bad-response'],
  ['redirect', 'bad-response'],
];
const OWN: readonly (readonly [Name, StubMode, string])[] = [
  ['gemini', 'geo', 'geo'],
  // It names the model.
  ['openrouter', 'geo', 'no-access'],
  ['gemini', 'quota', 'model-quota'],
  // Google has no word for money: the project is suspended.
  ['gemini', 'billing', 'billing'],
  ['gemini', 'invalid-input', 'doubtful-input'],
  ['openrouter', 'billing', 'billing'],
  ['openrouter', 'invalid-input', 'invalid-input'],
];

test.each([...names.flatMap((name) => COMMON.map((one) => [name, ...one] as const)), ...OWN])(
  '%s understands %s: %s',
  async (name, mode, expected) => {
    stub.behave(name, mode);
    expect(told(await ask(name, {}, ENDLESS.includes(mode) ? SHORT_MS : PATIENT_MS))).toBe(expected);
    expect(stub.calls({ provider: name })).toHaveLength(1);
  },
);
