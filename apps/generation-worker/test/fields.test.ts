import { REASONS } from '@image-gateway/shared/contract';
import { addTaskInputs } from '@image-gateway/shared/db';
import { newInputEntry } from '@image-gateway/shared/ids';
import { ALL_CAPABILITIES } from '@image-gateway/shared/upstreams';
import { describe, expect, test } from '@jest/globals';
import sharp, { type Sharp } from 'sharp';
import { ProviderError } from '../src/providers/failures.js';
import type { RequestFields, RouteTerms } from '../src/providers/port.js';
import { drawImage } from './support/draw-image.js';
import {
  deliver,
  routerOver,
  type Script,
  type ScriptedProvider,
  scriptedProvider,
} from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();
const terms: RouteTerms = { accepts: ALL_CAPABILITIES, quality: null, preferredQualities: [] };
const start = (...providers: readonly ScriptedProvider[]) => world.start(routerOver(...providers));
const provider = (name: string, script: Script, more: Partial<RouteTerms['accepts']> = {}) =>
  scriptedProvider(script, {
    name,
    maxImagesPerCall: 1,
    terms: { ...terms, accepts: { ...ALL_CAPABILITIES, ...more } },
  });
/** Refuses a field by the name that the vendor has for it, as long as the request has it. */
const refusing = (name: string, field: keyof RequestFields): Script =>
  async function* (request) {
    if (request.fields[field] !== undefined) {
      throw new ProviderError('config-drift', `unknown ${name}`, { field: { name, isUnknown: true } });
    }
    yield* deliver(request);
  };
const readFields = ({ requests }: ScriptedProvider) => requests.map(({ fields }) => fields);
const unused = async (id: string) =>
  (await world.sql('SELECT unused FROM tasks WHERE id = $1', [id]))[0]?.unused;

describe('optional fields of a task', () => {
  test('optional fields of a task reach the route, each image with its own seed', async () => {
    const a = provider('a', deliver);
    start(a);
    const request = {
      num_outputs: 2,
      seed: 4_294_967_295,
      output_format: 'webp',
      background: 'opaque',
    } as const;
    await world.ended(await world.submit(request));
    expect(readFields(a)).toEqual([
      { seed: 4_294_967_295, outputFormat: 'webp', background: 'opaque' },
      { seed: 0, outputFormat: 'webp', background: 'opaque' },
    ]);
  });

  test('optional fields of a task keep their seeds over failovers', async () => {
    const failing: Script = async function* (request) {
      if (request.slots[0] === 1) {
        throw new ProviderError('model-gone', 'gone');
      }
      yield* deliver(request);
    };
    const [a, b] = [provider('a', failing), provider('b', deliver)];
    start(a, b);
    await world.ended(await world.submit({ num_outputs: 2, seed: 7 }));
    expect([...readFields(a), ...readFields(b)]).toEqual([{ seed: 7 }, { seed: 8 }, { seed: 8 }]);
  });

  test('what the upstream says about an image is stored with it, and what it does not say is not', async () => {
    start(
      provider('a', async function* ({ slots: [slot = 0] }) {
        const bytes = await drawImage(slot === 0 ? '#111111' : '#222222');
        const said = { seed: 7, quality: 'high', revisedPrompt: 'a very red fox' };
        yield { type: 'image', bytes, slot, ...(slot === 0 && { said }) };
      }),
    );
    const id = await world.submit({ num_outputs: 2 });
    await world.ended(id);
    const sql =
      'SELECT seed::int, quality, revised_prompt FROM task_outputs WHERE task_id = $1 ORDER BY slot';
    expect(await world.sql(sql, [id])).toEqual([
      { seed: 7, quality: 'high', revised_prompt: 'a very red fox' },
      { seed: null, quality: null, revised_prompt: null },
    ]);
  });

  test('wishes that the drawing routes left out stand in the task, those of a route that drew nothing do not', async () => {
    const failing: Script = async function* () {
      yield* [];
      throw new ProviderError('model-gone', 'gone');
    };
    const a = provider('a', failing, { outputFormat: [] });
    const b = provider('b', deliver, { style: false, seed: null });
    start(a, b);
    const id = await world.submit({
      wishes: { style: 'vivid', seed: 3, output_format: 'webp', quality: null },
    });
    expect(await world.ended(id)).toMatchObject({ status: 'completed' });
    expect(await unused(id)).toEqual(['quality', 'seed', 'style']);
    expect(readFields(b)).toEqual([{ outputFormat: 'webp' }]);
  });

  test('a task whose wishes are all used has none that was left out', async () => {
    start(provider('a', deliver));
    const id = await world.submit({ wishes: { style: 'vivid' } });
    await world.ended(id);
    expect(await unused(id)).toBeNull();
  });
});

describe('a field that an upstream refuses by name', () => {
  test('a need goes to the next route, is told to operators, and the next task does not ask again', async () => {
    const [a, b] = [provider('a', refusing('seed', 'seed')), provider('b', deliver)];
    const worker = start(a, b);
    const id = await world.submit({ seed: 1 });
    expect(await world.ended(id)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(await world.calls(id)).toMatchObject([
      { provider: 'a', state: 'failed', detail: 'need-refused' },
      { provider: 'b', state: 'succeeded' },
    ]);
    await world.ended(await world.submit({ seed: 2 }));
    expect([a.requests.length, b.requests.length]).toEqual([1, 2]);
    await world.ended(await world.submit({}));
    expect([a.requests.length, b.requests.length]).toEqual([2, 2]);
    expect(world.lines).toContainEqual(
      expect.objectContaining({ level: 'error', provider: 'a', field: 'seed' }),
    );
    expect(await worker.metrics.providerAlerts.get()).toMatchObject({
      values: [{ labels: { provider: 'a', failure: 'need-refused' }, value: 1 }],
    });
  });

  test('a wish is left out, the same route asked once more, and the answer names it', async () => {
    const a = provider('a', refusing('output_format', 'outputFormat'));
    start(a, provider('b', deliver));
    const id = await world.submit({ wishes: { output_format: 'webp', style: 'vivid' } });
    expect(await world.ended(id)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(readFields(a)).toEqual([{ outputFormat: 'webp', style: 'vivid' }, { style: 'vivid' }]);
    expect(await unused(id)).toEqual(['output_format']);
    expect((await world.calls(id)).map(({ detail }) => detail)).toEqual(['wish-refused', null]);
  });

  test('a need that no route is left for fails the task as a refused input, at no cost', async () => {
    const [a, b] = [provider('a', refusing('seed', 'seed')), provider('b', refusing('seed', 'seed'))];
    start(a, b);
    const failed = { status: 'failed', error: REASONS.refusedInput.text, cost_micros: '0', tries: 0 };
    expect(await world.ended(await world.submit({ seed: 1 }))).toMatchObject(failed);
    // Known by now: nobody is asked.
    expect(await world.ended(await world.submit({ seed: 2 }))).toMatchObject({ ...failed, call_count: 0 });
    expect([a.requests.length, b.requests.length]).toEqual([1, 1]);
  });
});

describe('the mask of an edit', () => {
  const upload = async (bytes: Buffer): Promise<string> => {
    const { id, key, entry } = newInputEntry();
    const limits = { ownBytes: bytes.length, allBytes: bytes.length };
    const uploads = [{ id, bytes: bytes.length }];
    await addTaskInputs(world.test.db, { uploads, accountId: world.account.id, limits });
    await world.store.put(key, bytes, { contentType: 'application/octet-stream' });
    return entry;
  };
  const create = (width: number, height: number, channels: 3 | 4): Sharp =>
    sharp({ create: { width, height, channels, background: { r: 9, g: 9, b: 9, alpha: 0 } } });
  const submit = async (mask: Buffer, image: Buffer) =>
    world.submit({ image_urls: [await upload(image)], mask: await upload(mask) });

  test('the mask of an edit reaches the route upright and scaled like its image', async () => {
    const a = provider('a', deliver);
    start(a);
    const photo = await create(4_000, 1_000, 3).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const id = await submit(await create(4_000, 1_000, 4).png().toBuffer(), photo);
    expect(await world.ended(id)).toMatchObject({ status: 'completed' });
    const [request] = a.requests;
    expect(request?.inputs).toMatchObject([{ width: 512, height: 2_048 }]);
    expect(request?.fields.mask).toMatchObject({ width: 512, height: 2_048, contentType: 'image/png' });
  });

  test('the mask of an edit that does not fit fails the task, and nobody is asked', async () => {
    const a = provider('a', deliver);
    start(a);
    const image = await create(40, 20, 3).png().toBuffer();
    for (const [mask, error] of [
      [await create(40, 21, 4).png().toBuffer(), 'mask: must have the size of the first image'],
      [image, 'mask: must be a PNG or WebP with an alpha channel'],
      [Buffer.from('odd'), 'mask: is not a PNG, JPEG or WebP image'],
    ] as const) {
      const task = await world.ended(await submit(mask, image));
      expect(task).toMatchObject({ status: 'failed', error, cost_micros: '0' });
    }
    expect(a.requests).toEqual([]);
  });

  test('the mask of an edit goes to no route without masks', async () => {
    const [a, b] = [provider('a', deliver, { mask: false }), provider('b', deliver)];
    start(a, b);
    const image = await create(40, 20, 3).png().toBuffer();
    await world.ended(await submit(await create(40, 20, 4).png().toBuffer(), image));
    expect([a.requests.length, b.requests.length]).toEqual([0, 1]);
  });
});
