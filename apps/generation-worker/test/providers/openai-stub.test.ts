import { type StubMode, type StubUpstreams, startStubUpstreams } from '@image-gateway/stub-upstreams';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import type { OpenaiDialect } from '../../src/providers/openai/build-request.js';
import { createOpenai } from '../../src/providers/openai/create-openai.js';
import type { InputImage, ProviderRequest } from '../../src/providers/port.js';
import { aRequest } from './support/a-request.js';
import { collectEvents } from './support/collect-events.js';
import { upstreamAt } from './support/upstream-at.js';

const TIMES = { timeoutMs: { openai: 10_000, compatible: 10_000 }, downloadPausesMs: [1] };
const shortFor = (dialect: OpenaiDialect) => ({
  ...TIMES,
  timeoutMs: { openai: 600_000, compatible: 600_000, [dialect]: 2_000 },
});
const KEY = { fingerprint: 'test', secret: 'stub-openai-1' };

const stubs = {} as Record<OpenaiDialect, StubUpstreams>;
let inputs: readonly InputImage[];
beforeAll(async () => {
  stubs.openai = await startStubUpstreams({ onlyOpenai: true });
  stubs.compatible = await startStubUpstreams();
  inputs = await Promise.all(['red', 'green', 'blue'].map(plain));
});
afterEach(() => {
  for (const stub of Object.values(stubs)) {
    stub.behaveWell();
    stub.forgetCalls();
  }
});
afterAll(() => Promise.all(Object.values(stubs).map((stub) => stub.close())));

async function plain(background: string): Promise<InputImage> {
  const size = { width: 8, height: 8 };
  const bytes = await sharp({ create: { ...size, channels: 3, background } })
    .png()
    .toBuffer();
  return { bytes, contentType: 'image/png', ...size };
}

async function ask(dialect: OpenaiDialect, changes: Partial<ProviderRequest> = {}, times = TIMES) {
  const provider = createOpenai({ upstream: upstreamAt('openai', stubs[dialect].url), dialect }, times);
  const model = dialect === 'openai' ? 'gpt-image-2' : 'Qwen/Qwen-Image';
  const { events, error } = await collectEvents(provider, aRequest({ model, key: KEY, ...changes }));
  const images = events.flatMap((event) => (event.type === 'image' ? [event.bytes] : []));
  return { images, failure: error?.failure ?? null };
}

describe.each(['openai', 'compatible'] as const)(
  '%s, as somebody else understands the protocol',
  (dialect) => {
    test.each(['1k', '2k', '4k'] as const)(
      'the protocol of OpenAI takes what is asked at %s, in both shapes',
      async (resolution) => {
        for (const aspectRatio of ['16:9', '9:16'] as const) {
          const { images, failure } = await ask(dialect, {
            resolution,
            aspectRatio,
            negativePrompt: 'text',
          });
          expect(failure).toBeNull();
          const { width, height } = await sharp(images[0]).metadata();
          expect(width > height).toBe(aspectRatio === '16:9');
        }
      },
    );

    test('the protocol of OpenAI makes as many different images as it is asked for', async () => {
      const { images } = await ask(dialect, { slots: [0, 1, 2, 3] });
      expect(new Set(images.map((bytes) => bytes.toString('base64'))).size).toBe(4);
    });

    test('the protocol of OpenAI takes one image to edit, and several in their order', async () => {
      for (const some of [inputs.slice(0, 1), inputs]) {
        expect(await ask(dialect, { inputs: some, negativePrompt: 'text' })).toMatchObject({ failure: null });
      }
      const [first, second] = stubs[dialect].calls();
      expect(second?.inputs).toHaveLength(3);
      expect(second?.inputs[0]).toBe(first?.inputs[0]);
      expect(new Set(second?.inputs).size).toBe(3);
    });

    test.each([
      ['overload', 'overload'],
      ['rate-limit', 'rate-limit'],
      ['quota', 'billing'],
      ['auth', 'auth'],
      ['billing', 'billing'],
      ['model-gone', 'model-gone'],
      ['geo', 'geo'],
      ['server-error', 'upstream-error'],
      ['timeout', 'timeout'],
      ['moderation', 'moderation'],
      ['invalid-input', 'doubtful-input'],
      ['no-image', 'no-image'],
      ['down', 'unknown'],
      ['lost-answer', 'unknown'],
      ['truncated', 'bad-response'],
      ['html', 'bad-response'],
      ['empty', 'bad-response'],
      ['redirect', 'bad-response'],
    ] as const satisfies (readonly [StubMode, string])[])(
      'a response in mode %s is read as %s',
      async (mode, expected) => {
        stubs[dialect].behave('openai', mode);
        expect(await ask(dialect)).toEqual({ images: [], failure: expected });
        expect(stubs[dialect].calls({ kind: 'submit' })).toHaveLength(1);
      },
    );

    test('a server that hangs for longer than its dialect may leaves it unknown whether the images were billed', async () => {
      stubs[dialect].behave('openai', 'hang');
      expect(await ask(dialect, {}, shortFor(dialect))).toEqual({ images: [], failure: 'unknown' });
    });

    test('a response with fewer images than asked for gives those that there are', async () => {
      stubs[dialect].behave('openai', 'fewer-images');
      expect((await ask(dialect, { slots: [0, 1, 2] })).images).toHaveLength(2);
    });
  },
);

test('a server at an address of our own is spoken to as OpenAI for a model of OpenAI, unless the route says otherwise', async () => {
  const provider = createOpenai(
    { upstream: upstreamAt('openai', stubs.openai.url), dialect: 'compatible' },
    TIMES,
  );
  const request = aRequest({ model: 'gpt-image-2', key: KEY, negativePrompt: 'text' });
  const refused = await collectEvents(provider, { ...request, options: { dialect: 'compatible' } });
  expect(refused.error?.failure).toBe('config-drift');
  expect((await collectEvents(provider, request)).error).toBeNull();
});

test('a server that prefers to link to its images is followed', async () => {
  const { images } = await ask('compatible', { options: { response_format: 'url' }, slots: [0, 1] });
  expect(images).toHaveLength(2);
  expect(stubs.compatible.calls({ kind: 'download' })).toHaveLength(2);
});
