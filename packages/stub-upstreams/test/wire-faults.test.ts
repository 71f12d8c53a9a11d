import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { type StubUpstreams, startStubUpstreams } from '../src/index.js';
import { submit } from './support/requests.js';

let stub: StubUpstreams;
beforeAll(async () => {
  stub = await startStubUpstreams();
});
beforeEach(() => {
  stub.behaveWell();
  stub.forgetCalls();
});
afterAll(() => stub.close());

const readBytes = async (answer: Response): Promise<Buffer> => {
  const { data } = (await answer.json()) as { data: { b64_json: string }[] };
  return Buffer.from(data[0]?.b64_json ?? '', 'base64');
};

describe('between two machines', () => {
  test('down resets before anything is done, lost-answer after the image was made', async () => {
    stub.behave('openai', [{ mode: 'down', times: 1 }, { mode: 'lost-answer' }]);
    await expect(submit(stub.url, 'openai')).rejects.toThrow();
    await expect(submit(stub.url, 'openai')).rejects.toThrow();
    expect(stub.calls()).toMatchObject([
      { mode: 'down', billed: 0, status: null },
      { mode: 'lost-answer', billed: 1, status: null },
    ]);
  });

  test('hang bills and never answers', async () => {
    stub.behave('openrouter', 'hang');
    const controller = new AbortController();
    const waiting = submit(stub.url, 'openrouter', { signal: controller.signal });
    await eventually(() => expect(stub.calls()).toMatchObject([{ billed: 1, status: null }]));
    controller.abort();
    await expect(waiting).rejects.toThrow();
  });

  test('truncated announces the whole body and sends half of it', async () => {
    stub.behave('gemini', 'truncated');
    const answer = await submit(stub.url, 'gemini');
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  test('drip begins and goes on for ever', async () => {
    stub.behave('openai', 'drip');
    const answer = await submit(stub.url, 'openai');
    const first = await answer.body?.getReader().read();
    expect(first?.value).toHaveLength(1);
  });

  test('huge sends 200 MB', async () => {
    stub.behave('openai', 'huge');
    let length = 0;
    for await (const part of (await submit(stub.url, 'openai')).body ?? []) {
      length += part.length;
    }
    expect(length).toBeGreaterThan(200_000_000);
  });

  test.each([
    ['html', 200, 'text/html; charset=UTF-8'],
    ['empty', 200, 'application/json'],
    ['redirect', 302, null],
  ] as const)('%s answers so without an image', async (mode, status, type) => {
    stub.behave('replicate', mode);
    const answer = await submit(stub.url, 'replicate');
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(stub.calls()[0]?.billed).toBe(0);
  });

  test('latency comes before the answer', async () => {
    stub.behave('gemini', { mode: 'ok', latencyMs: 300 });
    const began = performance.now();
    await submit(stub.url, 'gemini');
    expect(performance.now() - began).toBeGreaterThan(290);
  });
});

describe('an image', () => {
  test('an image that is broken begins well and ends in the middle', async () => {
    stub.behave('openai', 'broken-image');
    const bytes = await readBytes(await submit(stub.url, 'openai'));
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png' });
    await expect(sharp(bytes).stats()).rejects.toThrow();
    expect(stub.calls()[0]?.billed).toBe(1);
  });

  test('an image that is a bomb is small and claims 400 megapixels', async () => {
    stub.behave('openai', 'bomb');
    const bytes = await readBytes(await submit(stub.url, 'openai'));
    expect(bytes.length).toBeLessThan(100_000);
    expect(await sharp(bytes, { limitInputPixels: false }).metadata()).toMatchObject({
      width: 20_000,
      height: 20_000,
    });
  });

  test('an image that is no base64 is none', async () => {
    stub.behave('openai', 'invalid-base64');
    const answer = (await (await submit(stub.url, 'openai')).json()) as { data: { b64_json: string }[] };
    expect(answer.data[0]?.b64_json).not.toMatch(/^[A-Za-z0-9+/=]+$/);
  });
});
