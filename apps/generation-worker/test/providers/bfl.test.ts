import { ASPECT_RATIOS, RESOLUTIONS } from '@image-gateway/shared/contract';
import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { afterEach, describe, expect, test } from '@jest/globals';
import { buildRequest } from '../../src/providers/bfl/build-request.js';
import { createBfl } from '../../src/providers/bfl/create-bfl.js';
import {
  parseCreated,
  parseHandle,
  parsePoll,
  toProviderError,
} from '../../src/providers/bfl/parse-response.js';
import type { UpstreamResponse } from '../../src/providers/http/create-upstream.js';
import { aRequest, buildInput } from './support/a-request.js';
import { collectEvents } from './support/collect-events.js';
import { describeQueueFaults } from './support/describe-queue-faults.js';
import { PATIENT } from './support/follow-through.js';
import { type Hostile, startHostile } from './support/start-hostile.js';
import { upstreamAt } from './support/upstream-at.js';

const answer = (status: number, value: unknown): UpstreamResponse =>
  ({ status, headers: {}, json: { value } }) as UpstreamResponse;
const job = { id: 'j-1', handle: null };

describe('a submission to BFL', () => {
  test('has pixels of at most four megapixels, and input images in their order', () => {
    const inputs = [buildInput('AAAA'), buildInput('BBBB')];
    const { path, body } = buildRequest(
      aRequest({
        model: 'flux-2-pro',
        resolution: '2k',
        negativePrompt: 'text',
        inputs,
        fields: { seed: 7 },
      }),
    );
    expect(path).toBe('/flux-2-pro');
    expect(body).toEqual({
      prompt: 'A red fox\n\nAvoid: text',
      width: 2_624,
      height: 1_472,
      output_format: 'png',
      disable_pup: true,
      seed: 7,
      input_image: { embed: inputs[0]?.bytes, prefix: '' },
      input_image_2: { embed: inputs[1]?.bytes, prefix: '' },
    });
  });

  test.each([
    ['flux-kontext-pro', {}],
    ['flux-pro-1.1-ultra', {}],
    ['flux-3', { shape: 'ratio' }],
  ])('has a ratio where the model takes one: %s %j', (model, options) => {
    const { body } = buildRequest(aRequest({ model, options }));
    expect(body).toMatchObject({ aspect_ratio: '16:9' });
    expect(body).not.toHaveProperty('width');
    expect(body).not.toHaveProperty('shape');
  });
});

describe('an input image', () => {
  const edit = (model: string, options = {}) =>
    buildRequest(aRequest({ model, options, inputs: [buildInput('AAAA')] }), buildInput('BBBB'));

  test.each([
    ['flux-pro-1.1', {}],
    ['flux-pro-1.1-ultra', {}],
    ['flux-dev', { image_field: 'image_prompt' }],
    ['flux-7', {}],
  ])('is never left out in silence: %s takes none', (model, options) => {
    expect(() => edit(model, options)).toThrow(expect.objectContaining({ failure: 'config-drift' }));
  });

  test('goes to a fill model with its mask, without a size', () => {
    const { body } = edit('flux-pro-1.0-fill');
    const embedded = (base64: string) => ({ embed: Buffer.from(base64, 'base64'), prefix: '' });
    expect(body).toMatchObject({ image: embedded('AAAA'), mask: embedded('BBBB') });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['width']));
    const without = aRequest({ model: 'flux-pro-1.0-fill', inputs: [buildInput('AAAA')] });
    expect(() => buildRequest(without)).toThrow('edits with a mask only');
  });

  test('has the field that the route names', () => {
    expect(edit('flux-7', { image_field: 'image' }).body).toHaveProperty('image');
    expect(edit('flux-7', { image_field: 'images[]' }).body).toMatchObject({ images: [expect.anything()] });
  });
});

test('the sides for FLUX.1 are multiples of 32 and at most 1440', () => {
  for (const resolution of RESOLUTIONS) {
    for (const aspectRatio of ASPECT_RATIOS) {
      const { body } = buildRequest(aRequest({ model: 'flux-pro-1.1', resolution, aspectRatio }));
      for (const side of [Number(body.width), Number(body.height)]) {
        expect([side % 32, side <= 1_440, side >= 256]).toEqual([0, true, true]);
      }
    }
  }
});

test.each(['flux-2-pro', 'flux-pro-1.1'])(
  '%s has a size of its own at each resolution that it sells',
  (model) => {
    const sizes = RESOLUTIONS.map((resolution) => {
      const { width, height } = buildRequest(aRequest({ model, resolution })).body;
      return { resolution, size: `${String(width)}x${String(height)}` };
    });
    const sold = UPSTREAMS.bfl.listResolutions(model);
    const own = sizes.filter(({ resolution }) => sold.includes(resolution)).map(({ size }) => size);
    expect(new Set(own).size).toBe(sold.length);
  },
);

describe('a poll of BFL', () => {
  test.each([
    [200, { status: 'Pending' }, 'pending'],
    [200, { status: 'Reasoning', result: null }, 'pending'],
    [200, { status: 'Ready', result: { sample: 'https://x/a.png', seed: 7 } }, 'done'],
    [200, { status: 'Ready', result: null }, 'no-image'],
    [200, { status: 'Request Moderated' }, 'moderation'],
    [200, { status: 'Content Moderated' }, 'moderation'],
    [200, { status: 'Error', result: null }, 'upstream-error'],
    [200, { status: 'Task not found' }, 'unknown'],
    [404, { status: 'Task not found' }, 'unknown'],
  ])('%i %j is %s', (status, value, expected) => {
    const progress = parsePoll(answer(status, value), { job, key: null });
    expect(progress.kind === 'failed' ? progress.error.failure : progress.kind).toBe(expected);
    // A job that is not known may be known later.
    expect('mayChange' in progress).toBe(expected === 'unknown');
  });

  test.each([
    [200, {}],
    [200, { status: 7 }],
    [200, { status: 'Ready', result: { sample: 7 } }],
    [500, null],
    [404, 'not found'],
  ])('that says nothing about the job is repeated: %i %j', (status, value) => {
    expect(() => parsePoll(answer(status, value), { job, key: null })).toThrow();
  });

  const at = (url: unknown) =>
    parseHandle({ id: 'j', handle: JSON.stringify({ url, cost: 4.5 }) }, 'https://api.bfl.ai/v1');
  test('goes to the region that took the job', () => {
    expect(at('https://api.us1.bfl.ai/v1/get_result?id=j')).toEqual({
      place: { baseUrl: 'https://api.us1.bfl.ai', path: '/v1/get_result?id=j' },
      costMicros: 45_000n,
    });
  });

  test.each([
    'https://evil.example/v1/get_result?id=j',
    'https://bfl.ai.evil.example/x',
    'http://api.bfl.ai/x',
    'x',
    7,
    null,
  ])('never takes the key to another host: %j', (url) => {
    expect(at(url).place).toEqual({ path: '/get_result?id=j' });
  });
});

describe('an error of BFL', () => {
  test.each([
    [402, { detail: 'Insufficient credits.' }, 'billing'],
    [403, { detail: 'Not authenticated - Invalid Authentication' }, 'auth'],
    [403, { detail: 'Forbidden' }, 'no-access'],
    [404, { detail: 'Not Found' }, 'model-gone'],
    [422, { detail: [{ loc: ['body', 'prompt'], msg: 'too long', type: 'x' }] }, 'invalid-input'],
    [422, { detail: [{ loc: ['body', 'input_image'], msg: 'no image', type: 'x' }] }, 'invalid-input'],
    [422, { detail: [{ loc: ['body', 'width'], msg: 'too large', type: 'x' }] }, 'config-drift'],
    [422, { detail: 'no' }, 'unexplained'],
    [429, { detail: 'Too many active tasks' }, 'rate-limit'],
    [500, null, 'upstream-error'],
    [503, 'busy', 'overload'],
  ])('%i %j is %s', (status, value, failure) => {
    expect(toProviderError(answer(status, value), null).failure).toBe(failure);
  });
});

test.each([
  { cost: 'free' },
  { cost: -1 },
  { polling_url: 7 },
  { polling_url: `https://api.bfl.ai/${'x'.repeat(2_000)}` },
])('an accepted job of BFL is not lost because of an odd optional field: %j', (odd) => {
  const job = parseCreated(answer(200, { id: 'j', ...odd }), null);
  expect(parseHandle(job, 'https://api.bfl.ai/v1')).toEqual({
    place: { path: '/get_result?id=j' },
    costMicros: null,
  });
});

let server: Hostile | undefined;
afterEach(() => server?.close());

test('a job of BFL costs what its submission said', async () => {
  server = await startHostile((method, path, url) => ({
    body:
      method === 'POST'
        ? { id: 'j-1', cost: 3, polling_url: `${url}/v1/get_result?id=j-1` }
        : path.endsWith('.png')
          ? Buffer.from('an image')
          : { id: 'j-1', status: 'Ready', result: { sample: `${url}/a.png`, seed: 7 } },
  }));
  const provider = createBfl({ upstream: upstreamAt('bfl', server.url) }, { pace: PATIENT });
  const { events } = await collectEvents(provider, aRequest({ model: 'flux-2-pro' }));
  expect(events).toMatchObject([
    { type: 'job', id: 'j-1' },
    { type: 'cost', micros: 30_000n },
    { type: 'image', slot: 0, said: { seed: 7 } },
  ]);
  expect(server.asked.map(([what]) => what)).toEqual([
    'POST /v1/flux-2-pro',
    'GET /v1/get_result?id=j-1',
    'GET /a.png',
  ]);
});

describeQueueFaults({
  name: 'BFL',
  stages: ['submit', 'status', 'download'],
  create: (url, callMs) =>
    createBfl(
      { upstream: upstreamAt('bfl', url) },
      { submitTimeoutMs: callMs, callTimeoutMs: callMs, pace: { ...PATIENT, followMs: 50 } },
    ),
  isSingle: true,
  request: aRequest({ model: 'flux-2-pro' }),
  job,
  getStage: (method, path) => {
    if (method === 'POST') {
      return 'submit';
    }
    return path.endsWith('.png') ? 'download' : 'status';
  },
  goodAnswer: (stage, url) => {
    if (stage === 'download') {
      return Buffer.from('an image');
    }
    return stage === 'submit'
      ? { id: job.id, polling_url: `${url}/v1/get_result?id=${job.id}` }
      : { status: 'Ready', result: { sample: `${url}/b.png` } };
  },
});
