import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import OpenAI, { APIError, AuthenticationError, toFile } from 'openai';
import sharp from 'sharp';
import { type StubUpstreams, startStubUpstreams } from '../src/index.js';

let stub: StubUpstreams;
beforeAll(async () => {
  stub = await startStubUpstreams();
});
beforeEach(() => {
  stub.behaveWell();
  stub.forgetCalls();
});
afterAll(() => stub.close());

const createClient = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${stub.url}/v1`, maxRetries: 0 });
const plain = (background: string) =>
  sharp({ create: { width: 8, height: 8, channels: 3, background } })
    .png()
    .toBuffer();

describe("OpenAI's own client", () => {
  test("OpenAI's own client gets as many images as it asked for, each another one, of the size it asked for", async () => {
    stub.behave('openai', { mode: 'ok', fullSize: true });
    const answer = await createClient('stub-openai-1').images.generate({
      model: 'gpt-image-2',
      prompt: 'a red fox',
      n: 2,
      size: '1536x864',
      quality: 'low',
      output_format: 'jpeg',
      moderation: 'auto',
    });
    const [first, second] = (answer.data ?? []).map(({ b64_json }) => b64_json ?? '');
    expect(first).not.toBe(second);
    expect(await sharp(Buffer.from(first ?? '', 'base64')).metadata()).toMatchObject({
      format: 'jpeg',
      width: 1536,
      height: 864,
    });
    expect(stub.calls()).toMatchObject([{ kind: 'submit', asked: 2, billed: 2 }]);
  });

  test('edits images that it sends along, in their order', async () => {
    const files = await Promise.all(
      ['red', 'blue'].map(async (name) => toFile(await plain(name), `${name}.png`, { type: 'image/png' })),
    );
    const answer = await createClient('stub-openai-1').images.edit({
      model: 'gpt-image-2',
      prompt: 'together',
      image: files,
      size: '1536x864',
    });
    expect(answer.data).toHaveLength(1);
    const [call] = stub.calls();
    expect(call?.inputs).toHaveLength(2);
    expect(call?.inputs[0]).not.toBe(call?.inputs[1]);
  });

  test("OpenAI's own client is told why a request was refused", async () => {
    stub.behave('openai', 'moderation');
    const refused = createClient('stub-openai-1').images.generate({ model: 'gpt-image-2', prompt: 'x' });
    await expect(refused).rejects.toThrow(APIError);
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'moderation_blocked' });
  });

  test("OpenAI's own client is refused with a key that is not good", async () => {
    const { models } = createClient('wrong');
    await expect(models.list()).rejects.toThrow(AuthenticationError);
    const names = (await createClient('stub-openai-1').models.list()).data.map(({ id }) => id);
    expect(names).toContain('gpt-image-2');
  });

  test("OpenAI's own client is refused an edit without an image, and one with two where one is allowed", async () => {
    const ask = async (...names: string[]) => {
      const form = new FormData();
      form.append('model', 'gpt-image-2');
      form.append('prompt', 'x');
      const image = new Blob([new Uint8Array(await plain('red'))], { type: 'image/png' });
      for (const name of names) {
        form.append(name, image, 'red.png');
      }
      const headers = { authorization: 'Bearer stub-openai-1' };
      const answer = await fetch(`${stub.url}/v1/images/edits`, { method: 'POST', headers, body: form });
      return answer.text();
    };
    expect(await ask()).toContain('missing_required_parameter');
    expect(await ask('image', 'image')).toContain('duplicate_parameter');
    expect(await ask('photo')).toContain('unknown_parameter');
    expect(await ask('image')).toContain('b64_json');
  });

  test("OpenAI's own client is refused a size that no model makes and a field that OpenAI does not know", async () => {
    const { images } = createClient('stub-openai-1');
    const request = { model: 'gpt-image-2', prompt: 'x' } as const;
    await expect(images.generate({ ...request, size: '1000x1000' })).rejects.toMatchObject({ param: 'size' });
    await expect(images.generate({ ...request, style: 'vivid' })).rejects.toMatchObject({
      code: 'unknown_parameter',
    });
  });
});

describe('a server of the same protocol', () => {
  const request = { model: 'Qwen/Qwen-Image', prompt: 'x', negative_prompt: 'text', size: '1376x768' };
  const post = (url: string, body: object) =>
    fetch(`${url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: 'Bearer stub-openai-1', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('a server of the same protocol takes a negative prompt, and links to images when it is asked to', async () => {
    const answer = await post(stub.url, { ...request, response_format: 'url' });
    const { data } = (await answer.json()) as { data: { url: string }[] };
    const image = await fetch(data[0]?.url ?? '');
    expect(image.headers.get('content-type')).toBe('image/png');
  });

  test('a server of the same protocol refuses unknown fields as FastAPI does', async () => {
    const answer = await post(stub.url, { ...request, moderation: 'auto' });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ detail: [{ loc: ['body', 'moderation'] }] });
  });

  test('a server of the same protocol is not spoken about a model of OpenAI, nor where the stub is OpenAI only', async () => {
    const words = { ...request, response_format: 'b64_json' };
    const own = await post(stub.url, { ...words, model: 'gpt-image-2' });
    expect(await own.json()).toMatchObject({ error: { code: 'unknown_parameter' } });
    const openai = await startStubUpstreams({ onlyOpenai: true });
    try {
      expect(await (await post(openai.url, words)).json()).toMatchObject({ error: { param: 'model' } });
    } finally {
      await openai.close();
    }
  });
});
