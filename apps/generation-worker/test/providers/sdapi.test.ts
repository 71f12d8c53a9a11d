import { afterEach, describe, expect, test } from '@jest/globals';
import type { ProviderRequest } from '../../src/providers/port.js';
import { createSdapi } from '../../src/providers/sdapi/create-sdapi.js';
import { aRequest, buildInput } from './support/a-request.js';
import { collectEvents } from './support/collect-events.js';
import type { Difference } from './support/compare-request.js';
import { describeOutcome, wanted } from './support/describe-outcome.js';
import { describeSyncFaults } from './support/describe-sync-faults.js';
import { loadFixtures } from './support/fixture.js';
import { type Replay, startReplay } from './support/replay.js';
import { upstreamAt } from './support/upstream-at.js';

type Recorded = Readonly<Record<string, unknown>>;

/** The one that drew the recorded images. */
const CHECKPOINT = 'sd_xl_base_1.0';
const explicit = 'everything is said explicitly, whatever the default is';
const DRAWING: readonly Difference[] = [
  {
    at: '/body/override_settings/sd_model_checkpoint',
    ours: CHECKPOINT,
    because: 'a route names its checkpoint',
  },
  {
    at: '/body/override_settings_restore_afterwards',
    ours: false,
    because: 'loading a checkpoint takes long',
  },
  { at: '/body/force_task_id', ours: undefined, because: 'nobody asks for the progress' },
];
const EDITING: readonly Difference[] = [
  ...DRAWING.slice(0, 2),
  { at: '/body/send_images', ours: true, because: explicit },
  { at: '/body/save_images', ours: false, because: explicit },
];
const sameSize = { because: explicit } as const;
const BARE: readonly Difference[] = [
  ...EDITING,
  ...Object.entries({
    width: 1376,
    height: 768,
    seed: -1,
    n_iter: 1,
    batch_size: 1,
    denoising_strength: 0.75,
    resize_mode: 1,
    include_init_images: false,
  }).map(([name, ours]) => ({ ...sameSize, at: `/body/${name}`, ours })),
];
const DIFFERENCES: Readonly<Record<string, readonly Difference[]>> = {
  'edit-img2img': EDITING,
  'invalid-image-500': BARE,
  'invalid-422': [...DRAWING, { at: '/body/width', ours: 1376, because: 'a size is never a text' }],
};
/** Fields that the adapter sends by itself. */
const OURS: Recorded = { send_images: true, save_images: false, batch_size: 1, force_task_id: 'gen_sample' };

let replay: Replay | undefined;
afterEach(() => replay?.close());

function requestFor(body: Recorded): ProviderRequest {
  const {
    prompt,
    negative_prompt: negative,
    seed,
    width,
    height,
    n_iter: count = 1,
    init_images: images,
    ...rest
  } = body;
  const options = Object.entries(rest).filter(([name, value]) => OURS[name] !== value);
  const hasSize = typeof width === 'number';
  return aRequest({
    key: null,
    model: CHECKPOINT,
    prompt: String(prompt),
    fields: {
      ...(typeof seed === 'number' && { seed }),
      ...(typeof negative === 'string' && { negativePrompt: negative }),
    },
    slots: Array.from({ length: Number(count) }, (_, index) => index),
    inputs: Array.isArray(images) ? images.map((image) => buildInput(String(image))) : [],
    options: Object.fromEntries(options),
    ...(hasSize && { size: `${width}x${String(height)}` }),
  });
}

describe('an answer of a web UI is read as recorded', () => {
  test.each([...loadFixtures('sdapi')])('%s', async (name, { exchanges, meta }) => {
    replay = await startReplay(exchanges);
    const provider = createSdapi({ upstream: upstreamAt('sdapi', replay.url) });
    const asked = requestFor(exchanges[0]?.request.body as Recorded);
    const collected = await collectEvents(provider, asked);
    expect(await replay.faults(DIFFERENCES[name] ?? DRAWING)).toEqual([]);
    expect(describeOutcome(collected, meta.expected)).toEqual(wanted(meta.expected));
  });

  test('its seeds belong to its images, and a grid before them is none', async () => {
    const [exchange] = loadFixtures('sdapi').get('success-t2i')?.exchanges ?? [];
    if (exchange === undefined) {
      throw new Error('no fixture');
    }
    const body = exchange.response.body as { images: string[]; info: string };
    const info = JSON.stringify({ ...JSON.parse(body.info), index_of_first_image: 1 });
    const [grid = ''] = body.images;
    const response = { ...exchange.response, body: { ...body, images: [grid, ...body.images], info } };
    replay = await startReplay([{ ...exchange, response }]);
    const provider = createSdapi({ upstream: upstreamAt('sdapi', replay.url) });
    const { events } = await collectEvents(provider, requestFor(exchange.request.body as Recorded));
    expect(
      events.map(
        (event) => event.type === 'image' && [event.slot, event.said, event.bytes.toString('base64')],
      ),
    ).toEqual(body.images.map((image, index) => [index, { seed: 42 + index }, image]));
  });

  test.each([
    ['sd_xl_base_1.0', {}, 'drawn'],
    ['SDXL/sd_xl_base_1.0.safetensors [31e35c80fc]', {}, 'drawn'],
    ['31e35c80fc4829d14f90153f4c74cd59c90b779f6afe05a74cd6120b893f7e5b', {}, 'drawn'],
    ['sd_xl_base', {}, 'drawn'],
    ['SDXL/sd_xl_base [0123456789]', {}, 'drawn'],
    ['flux1-dev-Q8_0', {}, 'model-gone'],
    ['sd_xl_refiner', {}, 'model-gone'],
    ['flux1-dev-Q8_0', { override_settings: null }, 'drawn'],
    ['a-name-of-ours', { override_settings: { sd_model_checkpoint: 'sd_xl_base_1.0' } }, 'drawn'],
    ['a-name-of-ours', { override_settings: { sd_vae: 'a-vae' } }, 'drawn'],
  ])(
    'images of another checkpoint than the one of the route are none: %s, %j',
    async (model, options, end) => {
      const [exchange] = loadFixtures('sdapi').get('success-t2i')?.exchanges ?? [];
      if (exchange === undefined) {
        throw new Error('no fixture');
      }
      const body = exchange.response.body as { info: string };
      const info = JSON.stringify({ ...JSON.parse(body.info), sd_model_hash: '31e35c80fc' });
      const response = { ...exchange.response, body: { ...body, info } };
      replay = await startReplay([{ ...exchange, response }]);
      const provider = createSdapi({ upstream: upstreamAt('sdapi', replay.url) });
      const { events, error } = await collectEvents(provider, aRequest({ model, options, slots: [0, 1] }));
      expect(error?.failure ?? (events.length === 2 ? 'drawn' : events)).toBe(end);
    },
  );

  test('a sampler that Forge does not have is a fault of our description, as with the others', async () => {
    const [exchange] = loadFixtures('sdapi').get('invalid-sampler-404')?.exchanges ?? [];
    if (exchange === undefined) {
      throw new Error('no fixture');
    }
    const response = { ...exchange.response, status: 400, body: { detail: 'Sampler not found' } };
    replay = await startReplay([{ ...exchange, response }]);
    const provider = createSdapi({ upstream: upstreamAt('sdapi', replay.url) });
    const { error } = await collectEvents(provider, requestFor(exchange.request.body as Recorded));
    expect(error?.failure).toBe('config-drift');
  });

  test.each([
    ['user:password', `Basic ${Buffer.from('user:password').toString('base64')}`],
    ['a-token', 'Bearer a-token'],
  ])('a key goes as %s', async (secret, header) => {
    const [exchange] = loadFixtures('sdapi').get('auth-401')?.exchanges ?? [];
    replay = await startReplay(exchange ? [exchange] : []);
    const provider = createSdapi({ upstream: upstreamAt('sdapi', replay.url) });
    await collectEvents(provider, aRequest({ key: { fingerprint: 'f', secret } }));
    expect(replay.requests[0]?.headers.authorization).toBe(header);
  });
});

describeSyncFaults({
  name: 'sdapi',
  create: (url, timeoutMs) => createSdapi({ upstream: upstreamAt('sdapi', url) }, { timeoutMs }),
  request: aRequest({ slots: [3] }),
  answerWith: (data) => ({ images: [data], info: '{}' }),
});
