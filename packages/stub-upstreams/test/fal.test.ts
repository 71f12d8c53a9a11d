import { ApiError, createFalClient, ValidationError } from '@fal-ai/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
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

/** The client knows no other address than fal's own: it is changed on the way out. */
const createClient = (credentials: string) =>
  createFalClient({
    credentials,
    retry: { maxRetries: 0 },
    requestMiddleware: (request) =>
      Promise.resolve({ ...request, url: request.url.replace('https://queue.fal.run', stub.url) }),
  });

describe("fal's own client", () => {
  test("fal's own client gets as many images as it asked for, each another one", async () => {
    stub.behave('fal', { mode: 'ok', jobMs: 300 });
    const { data } = await createClient('stub-fal-1').subscribe('fal-ai/nano-banana-pro', {
      input: {
        prompt: 'a red fox',
        num_images: 3,
        aspect_ratio: '9:16',
        resolution: '2K',
        output_format: 'webp',
      },
      pollInterval: 50,
    });
    expect(data.images).toHaveLength(3);
    const images = await Promise.all(
      data.images.map(async ({ url }) => Buffer.from(await (await fetch(url)).arrayBuffer())),
    );
    expect(await sharp(images[0]).metadata()).toMatchObject({ format: 'webp', width: 96 });
    expect(new Set(images.map((bytes) => bytes.toString('base64'))).size).toBe(3);
    expect(stub.calls({ kind: 'submit' })).toMatchObject([{ asked: 3, billed: 3, key: 'stub-fal-1' }]);
    const statuses = stub.calls({ kind: 'poll' }).map(({ status }) => status);
    expect(statuses.at(-1)).toBe(200);
    expect(statuses.slice(0, -1)).toEqual(statuses.slice(0, -1).map(() => 202));
    expect(statuses.length).toBeGreaterThan(2);
  });

  test('edits an image that it sends as a data URL', async () => {
    const input = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const { data } = await createClient('stub-fal-1').subscribe('fal-ai/nano-banana/edit', {
      input: { prompt: 'night', image_urls: [`data:image/png;base64,${input.toString('base64')}`] },
      pollInterval: 50,
    });
    expect(data.images).toHaveLength(1);
    expect(stub.calls({ kind: 'submit' })[0]?.inputs).toHaveLength(1);
    expect(stub.calls({ kind: 'poll' })[0]?.path).toMatch(/^\/fal-ai\/nano-banana\/requests\//);
  });

  test("fal's own client learns with the result that the content was refused", async () => {
    stub.behave('fal', 'moderation');
    const refused = createClient('stub-fal-1').subscribe('fal-ai/nano-banana', {
      input: { prompt: 'x' },
      pollInterval: 50,
    });
    await expect(refused).rejects.toThrow(ValidationError);
    await expect(refused).rejects.toMatchObject({
      status: 422,
      body: { detail: [{ type: 'content_policy_violation' }] },
    });
    expect(stub.calls({ kind: 'submit' })[0]?.billed).toBe(0);
  });

  test("fal's own client is refused with a key that is not good", async () => {
    const refused = createClient('wrong').queue.submit('fal-ai/nano-banana', { input: { prompt: 'x' } });
    await expect(refused).rejects.toThrow(ApiError);
    await expect(refused).rejects.toMatchObject({ status: 401 });
  });

  test("fal's own client can stop a job that has not ended", async () => {
    stub.behave('fal', 'endless-job');
    const { queue } = createClient('stub-fal-1');
    const { request_id: requestId } = await queue.submit('fal-ai/nano-banana', { input: { prompt: 'x' } });
    await queue.cancel('fal-ai/nano-banana', { requestId });
    expect(stub.calls({ kind: 'cancel' })[0]?.status).toBe(202);
    const status = await queue.status('fal-ai/nano-banana', { requestId });
    expect(status).toMatchObject({ status: 'COMPLETED', error_type: 'request_cancelled' });
    await expect(queue.result('fal-ai/nano-banana', { requestId })).rejects.toMatchObject({ status: 400 });
  });

  test("fal's own client cannot stop a job that has ended", async () => {
    const client = createClient('stub-fal-1');
    const input = { prompt: 'x' };
    const { requestId } = await client.subscribe('fal-ai/nano-banana', { input, pollInterval: 50 });
    await expect(client.queue.cancel('fal-ai/nano-banana', { requestId })).rejects.toMatchObject({
      status: 400,
      body: { status: 'ALREADY_COMPLETED' },
    });
  });
});
