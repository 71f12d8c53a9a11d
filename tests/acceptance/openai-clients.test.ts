import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateImage } from 'ai';
import OpenAI, { toFile } from 'openai';
import sharp from 'sharp';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';

let scene: Scene;
let customer: Customer;
let openai: OpenAI;
let fetched: Response[];
let png: Buffer;

beforeAll(async () => {
  scene = await openSharedScene();
  customer = await scene.customer();
  fetched = [];
  openai = connect(customer);
  png = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#804020' } })
    .png()
    .toBuffer();
}, 700_000);
afterAll(() => scene.audit());

const base = () => `${scene.product.url}/openai/v1`;
const connect = ({ key }: Pick<Customer, 'key'>) =>
  new OpenAI({
    apiKey: key,
    baseURL: base(),
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      fetched.push(response);
      return response;
    },
  });
const measure = async (base64 = ''): Promise<string> => {
  const { width, height, format } = await sharp(Buffer.from(base64, 'base64')).metadata();
  return `${width}x${height} ${format}`;
};
const countTasks = async (): Promise<number> => (await customer.client.tasks()).pagination.total;

describe('the official package openai', () => {
  test('generates images of every ratio, each as a task of /v1', async () => {
    const { data: answer, response } = await openai.images
      .generate({ model: 'dall-e-3', prompt: 'a fox', size: '1024x1024', n: 2 })
      .withResponse();
    expect(await Promise.all((answer.data ?? []).map(({ b64_json }) => measure(b64_json)))).toEqual([
      '1280x1280 jpeg',
      '1280x1280 jpeg',
    ]);
    expect(answer).toMatchObject({ size: '1280x1280', output_format: 'jpeg', usage: { total_tokens: 0 } });
    const task = await customer.client.task(response.headers.get('x-gateway-task-id') ?? '');
    expect(task).toMatchObject({ status: 'completed', cost: response.headers.get('x-gateway-cost') });
    const ratios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];
    const drawn = ratios.map(async (aspect_ratio) => {
      const { data } = await openai.images.generate({ prompt: 'a fox', aspect_ratio } as never);
      const [width = 0, height = 1] = (await measure(data?.[0]?.b64_json)).split(/x| /).map(Number);
      return width / height;
    });
    for (const [index, ratio] of (await Promise.all(drawn)).entries()) {
      const [width = 0, height = 1] = (ratios[index] ?? '').split(':').map(Number);
      expect(ratio).toBeCloseTo(width / height, 1);
    }
  });

  test('edits one image and several, and streams both kinds of answers', async () => {
    const file = () => toFile(png, 'input.png', { type: 'image/png' });
    const one = await openai.images.edit({ image: await file(), prompt: 'sandbox:fixed' });
    const several = await openai.images.edit({
      image: [await file(), await file()],
      prompt: 'sandbox:fixed',
      n: 2,
    });
    expect([one.data?.length, several.data?.length]).toEqual([1, 2]);
    const types: string[] = [];
    const request = { model: 'gpt-image-1', prompt: 'sandbox:fixed', stream: true } as const;
    for await (const event of await openai.images.generate({ ...request, n: 2 })) {
      types.push(`${event.type} ${await measure(event.b64_json)}`);
    }
    for await (const event of await openai.images.edit({ ...request, image: await file() })) {
      types.push(`${event.type} ${await measure(event.b64_json)}`);
    }
    const image = '64x36 png';
    expect(types).toEqual([
      ...Array<string>(2).fill(`image_generation.completed ${image}`),
      `image_edit.completed ${image}`,
    ]);
  });

  test('sees errors as what they are, and repeats none that is final', async () => {
    const errors: [Partial<OpenAI.ImageGenerateParams>, number, string | null][] = [
      [{ prompt: 'sandbox:fail=moderation' }, 400, 'content_policy_violation'],
      [{ prompt: 'sandbox:fail=upstream' }, 400, null],
      [{ prompt: 'x', model: 'nothing' }, 400, 'model_not_found'],
      [{ prompt: 'x', size: 'large' as never }, 400, 'invalid_value'],
    ];
    for (const [body, status, code] of errors) {
      fetched = [];
      const error = await openai.images
        .generate(body as OpenAI.ImageGenerateParamsNonStreaming)
        .catch((thrown: unknown) => thrown);
      expect([body, fetched.length, error]).toEqual([body, 1, expect.objectContaining({ status, code })]);
    }
    fetched = [];
    const poor = connect(await scene.customer('0'));
    const error = await poor.images.generate({ prompt: 'x' }).catch((thrown: unknown) => thrown);
    expect([fetched.length, error]).toEqual([
      1,
      expect.objectContaining({ status: 403, code: 'insufficient_quota' }),
    ]);
    fetched = [];
    const stranger = await connect({ key: 'gw_live_wrong' })
      .models.list()
      .catch((thrown: unknown) => thrown);
    expect([fetched.length, stranger]).toEqual([1, expect.objectContaining({ status: 401 })]);
  });

  test('lists models and finds one', async () => {
    const ids: string[] = [];
    for await (const { id } of openai.models.list()) {
      ids.push(id);
    }
    expect(ids).toEqual(expect.arrayContaining(['nanobanana', 'gpt-image-1', 'dall-e-3']));
    expect((await openai.models.retrieve('gpt-image-1')).id).toBe('gpt-image-1');
  });
});

describe('the AI SDK with @ai-sdk/openai-compatible', () => {
  const model = (key = customer.key) =>
    createOpenAICompatible({ name: 'gateway', baseURL: base(), apiKey: key }).imageModel('nanobanana');

  test('generates ten images with one task, and edits several files', async () => {
    const before = await countTasks();
    const { images } = await generateImage({
      model: model(),
      prompt: 'sandbox:fixed',
      n: 10,
      size: '1024x1024',
    });
    expect(images).toHaveLength(10);
    expect(await countTasks()).toBe(before + 1);
    const edited = await generateImage({
      model: model(),
      prompt: { text: 'sandbox:fixed', images: [png, png] },
    });
    expect(await measure(edited.image.base64)).toBe('64x36 png');
  });

  test('repeats neither a failed task nor a request without money', async () => {
    const before = await countTasks();
    await expect(generateImage({ model: model(), prompt: 'sandbox:fail=moderation' })).rejects.toMatchObject({
      statusCode: 400,
    });
    expect(await countTasks()).toBe(before + 1);
    const poor = await scene.customer('0');
    await expect(generateImage({ model: model(poor.key), prompt: 'x' })).rejects.toMatchObject({
      statusCode: 403,
    });
  });
});
