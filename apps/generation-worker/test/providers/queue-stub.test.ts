import { randomUUID } from 'node:crypto';
import { type StubMode, type StubUpstreams, startStubUpstreams } from '@image-gateway/stub-upstreams';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { createComfyui } from '../../src/providers/comfyui/create-comfyui.js';
import { createFal } from '../../src/providers/fal/create-fal.js';
import type { InputImage, ProviderRequest } from '../../src/providers/port.js';
import { createReplicate } from '../../src/providers/replicate/create-replicate.js';
import { EDITING_WORKFLOW } from '../support/build-documents.js';
import { aRequest } from './support/a-request.js';
import { collectEvents, freeScope } from './support/collect-events.js';
import { followThrough, IMPATIENT, PATIENT } from './support/follow-through.js';
import { upstreamAt } from './support/upstream-at.js';

const IMAGE_BYTES = 300 * 1024;
const times = (pace: typeof PATIENT) => ({
  submitTimeoutMs: 2_000,
  uploadTimeoutMs: 5_000,
  callTimeoutMs: 5_000,
  pace,
});

let stub: StubUpstreams;
let inputs: readonly InputImage[];
beforeAll(async () => {
  stub = await startStubUpstreams();
  inputs = await Promise.all([noise(400), noise(20), noise(410)]);
});
afterEach(() => {
  stub.behaveWell();
  stub.forgetCalls();
});
afterAll(() => stub.close());

const PROVIDERS = {
  fal: {
    create: (pace = PATIENT) => createFal({ upstream: upstreamAt('fal', stub.url) }, times(pace)),
    request: (): ProviderRequest => aRequest({ model: 'fal-ai/nano-banana-pro', key: getKey('fal') }),
    models: [
      'fal-ai/nano-banana',
      'fal-ai/nano-banana-2',
      'fal-ai/nano-banana-pro',
      'google/nano-banana-2.1',
    ],
  },
  replicate: {
    create: (pace = PATIENT) => createReplicate({ upstream: upstreamAt('replicate', stub.url) }, times(pace)),
    request: (): ProviderRequest => aRequest({ model: 'google/nano-banana-pro', key: getKey('replicate') }),
    models: [
      'google/nano-banana',
      'google/nano-banana-2',
      'google/nano-banana-pro',
      'google/nano-banana-2.1',
    ],
  },
  comfyui: {
    create: (pace = PATIENT) => createComfyui({ upstream: upstreamAt('comfyui', stub.url) }, times(pace)),
    request: (): ProviderRequest =>
      aRequest({
        // The server knows workflows by it.
        callId: randomUUID(),
        model: 'qwen_image_edit.safetensors',
        key: getKey('comfyui'),
        options: { workflow: EDITING_WORKFLOW },
      }),
    models: ['sd_xl_base_1.0.safetensors', 'qwen_image_edit.safetensors'],
  },
} as const;
type Name = keyof typeof PROVIDERS;
const names = Object.keys(PROVIDERS) as Name[];
const both = <T>(list: readonly T[]) => names.flatMap((name) => list.map((one) => [name, one] as const));

const getKey = (name: Name) => ({ fingerprint: name, secret: stub.keys[name][0] ?? '' });

async function outcome(name: Name, changes: Partial<ProviderRequest> = {}): Promise<string> {
  const { create, request } = PROVIDERS[name];
  const { events, error } = await followThrough(create(), { ...request(), ...changes }, () => true);
  return [...events.map(({ type }) => type), ...(error ? [error.failure] : [])].join(' ');
}

/** An image of noise, too large to go into a request. */
async function noise(side: number): Promise<InputImage> {
  const raw = { width: side, height: side, channels: 3 } as const;
  const pixels = Buffer.from(Array.from({ length: side * side * 3 }, (_, at) => (at * 7919) % 251));
  const bytes = await sharp(pixels, { raw }).png({ compressionLevel: 0 }).toBuffer();
  return { bytes, contentType: 'image/png', width: side, height: side };
}

describe.each(names)('%s, as somebody else understands its protocol', (name) => {
  const { models } = PROVIDERS[name];

  test.each(models)('the provider takes what is asked of every model: %s', async (model) => {
    const takesResolution = !model.endsWith('/nano-banana');
    for (const resolution of ['1k', '4k'] as const) {
      expect(await outcome(name, { model, takesResolution, resolution, aspectRatio: '9:16' })).toBe(
        'job image',
      );
    }
  });

  test.each(models)(
    'the provider takes images to edit in their order, small and large: %s',
    async (model) => {
      expect([inputs[0], inputs[2]].every((input) => (input?.bytes.length ?? 0) > IMAGE_BYTES)).toBe(true);
      const takesResolution = !model.endsWith('/nano-banana');
      expect(await outcome(name, { model, inputs, takesResolution })).toBe('job image');
      const seen = stub.calls({ provider: name }).flatMap(({ inputs: digests }) => digests);
      expect(seen).toHaveLength(3);
      expect(new Set(seen).size).toBe(3);
    },
  );

  test('asks for a job that takes long again and again, and submits it once', async () => {
    stub.behave(name, { mode: 'ok', jobMs: 300 });
    const { create, request } = PROVIDERS[name];
    const { events } = await followThrough(create(IMPATIENT), request(), () => true);
    expect(events.map(({ type }) => type)).toEqual(['job', 'image']);
    expect(stub.calls({ provider: name, kind: 'submit' })).toHaveLength(1);
    expect(stub.calls({ provider: name, kind: 'poll' }).length).toBeGreaterThan(1);
  });

  test('the provider stops a job', async () => {
    stub.behave(name, { mode: 'endless-job' });
    const { create, request } = PROVIDERS[name];
    const { events } = await collectEvents(create(IMPATIENT), request());
    const [job] = events.flatMap((event) => (event.type === 'job' ? [event] : []));
    if (!job) {
      throw new Error('no job');
    }
    const { model, key } = request();
    expect(await create().cancel?.({ id: job.id, handle: job.handle, model, key }, freeScope())).toBe(true);
    expect(await outcome(name, { job })).toBe('canceled');
  });
});

const REFUSALS: readonly (readonly [StubMode, string])[] = [
  ['overload', 'overload'],
  ['rate-limit', 'rate-limit'],
  ['auth', 'auth'],
  ['billing', 'billing'],
  ['model-gone', 'model-gone'],
  ['geo', 'geo'],
  ['server-error', 'upstream-error'],
  ['timeout', 'timeout'],
  ['moderation', 'job moderation'],
  ['invalid-input', 'job invalid-input'],
  ['no-image', 'job no-image'],
  ['job-lost', 'job unknown'],
  ['output-gone', 'job output-expired'],
  ['down', 'unknown'],
  ['lost-answer', 'unknown'],
  ['hang', 'unknown'],
  ['html', 'unknown'],
  ['empty', 'unknown'],
];

/** A server of the operator knows no regions, and says less about images. */
const OWN_WORDS: Readonly<Partial<Record<Name, Readonly<Partial<Record<StubMode, string>>>>>> = {
  // The workflow of a lost answer is found by its id.
  comfyui: {
    hang: 'job image',
    'lost-answer': 'job image',
    geo: 'no-access',
    'invalid-input': 'job doubtful-input',
    'no-image': 'job bad-response',
  },
};

test.each(both(REFUSALS))('%s understands %j', async (name, [mode, expected]) => {
  stub.behave(name, { mode });
  expect(await outcome(name)).toBe(OWN_WORDS[name]?.[mode] ?? expected);
  expect(stub.calls({ provider: name, kind: 'submit' })).toHaveLength(1);
});

test.each(['fal', 'replicate', 'comfyui'] as const)(
  '%s does not show a new job at first: it is polled again, and bought once',
  async (name) => {
    // ComfyUI is asked three times a look: for the history, the queue, and the history again.
    stub.behave(name, [{ mode: 'job-lost', on: ['poll'], times: 3 }, { mode: 'ok' }]);
    const { create, request } = PROVIDERS[name];
    const { events, error } = await collectEvents(create({ ...PATIENT, unseenMs: 30_000 }), request());
    expect([events.map(({ type }) => type), error]).toEqual([['job', 'image'], null]);
    expect(stub.calls({ provider: name, kind: 'submit' })).toHaveLength(1);
  },
);

test.each(['fal', 'comfyui'] as const)(
  '%s delivers what there is when there are fewer images than asked for',
  async (name) => {
    stub.behave(name, { mode: 'fewer-images', images: 2 });
    expect(await outcome(name, { slots: [0, 1, 2, 3] })).toBe('job image image');
  },
);

test.each(['fal', 'replicate'] as const)('%s never sends its key along with a download', async (name) => {
  await outcome(name);
  expect(stub.calls({ provider: name, kind: 'download' }).map(({ key }) => key)).toEqual([null]);
});

test('ComfyUI downloads from its own server only, with its key', async () => {
  await outcome('comfyui');
  const downloads = stub.calls({ provider: 'comfyui', kind: 'download' });
  expect(downloads).toMatchObject([{ key: getKey('comfyui').secret, path: '/view', status: 200 }]);
});

test("a customer's text that looks like a placeholder stays a text", async () => {
  const prompt = '{{seed}} {{image_1}} $& {{negative_prompt}}';
  expect(await outcome('comfyui', { prompt })).toBe('job image');
  expect(stub.calls({ kind: 'submit' })).toMatchObject([{ prompt }]);
});
