import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import { describe, expect, test } from '@jest/globals';
import { type AnswerReplyDeps, createAnswerReply } from './create-answer-reply.js';

const BYTES = Buffer.from('an image of nineteen bytes'.slice(0, 19));
const task: Parameters<typeof createAnswerReply>[1] = {
  id: 'gen_1',
  status: 'completed',
  error: null,
  completedAt: new Date(5_000),
  costMicros: 10_000n,
  quality: null,
  background: null,
  wishes: null,
  unused: null,
  aspectRatio: '4:3',
  resolution: '1k',
  images: [
    {
      key: 'images/gen_1/0.png',
      width: 4,
      height: 3,
      bytes: BYTES.length,
      contentType: 'image/png',
      sha256: '',
      seed: null,
      quality: null,
      revisedPrompt: null,
    },
  ],
};

const createDeps = (readObject: AnswerReplyDeps['readObject']): AnswerReplyDeps => ({
  readObject,
  fileUrl: 'https://gateway.test/files',
  answerPlaces: createSemaphore({ permits: 4, leavesRoom: 1 }),
});
const deps = createDeps(() => Promise.resolve(Readable.from([...BYTES].map((byte) => Buffer.from([byte])))));
const write = (accountId: string, closed = new AbortController().signal, from = deps) =>
  createAnswerReply(from, task, {
    accountId,
    closed,
    eventType: '',
    isPayer: true,
    response_format: 'b64_json',
  });

describe('what an answer says of its images', () => {
  const image = task.images[0] as (typeof task.images)[number];
  const describeImage = async (more: Partial<typeof task>): Promise<object> => {
    const { stream, headers } = await createAnswerReply(
      deps,
      { ...task, ...more },
      {
        accountId: 'a',
        closed: new AbortController().signal,
        eventType: '',
        isPayer: true,
        response_format: 'url',
      },
    );
    const { quality, background, output_format } = JSON.parse(await text(stream ?? Readable.from([])));
    return { quality, background, output_format, unused: headers?.['x-gateway-unused'] };
  };

  test('what nobody knows is absent', async () => {
    expect(await describeImage({})).toEqual({ output_format: 'png' });
  });

  test('what came goes before what was asked of the upstream, and that before nothing', async () => {
    const images = [{ ...image, quality: 'high', contentType: 'image/jpeg' }];
    expect(await describeImage({ images, quality: 'low' })).toMatchObject({
      quality: 'high',
      background: 'opaque',
      output_format: 'jpeg',
    });
    expect(await describeImage({ quality: 'low', background: 'transparent' })).toMatchObject({
      quality: 'low',
      background: 'transparent',
    });
    expect(await describeImage({ wishes: { quality: 'high' } })).toMatchObject({ quality: 'high' });
  });

  test('a wish that was not used is named, and is no quality of the images', async () => {
    const wishes = { quality: 'high', style: 'vivid' } as const;
    expect(await describeImage({ wishes, unused: ['quality', 'style'] })).toEqual({
      output_format: 'png',
      unused: 'quality, style',
    });
  });
});

describe('writing an answer', () => {
  test('an answer is base64 without a break, whatever the chunks of the store are, and has the length that it announces', async () => {
    const { stream, headers } = await write('a');
    const answer = await text(stream ?? Readable.from([]));
    expect(JSON.parse(answer)).toMatchObject({
      created: 5,
      size: '4x3',
      output_format: 'png',
      data: [{ b64_json: BYTES.toString('base64') }],
    });
    expect(headers?.['Content-Length']).toBe(String(answer.length));
  });

  test('an account whose readers are slow leaves places to others, and a closed response frees its place', async () => {
    const [one, two] = await Promise.all([write('slow'), write('slow')]);
    const leaving = new AbortController();
    const third = write('slow', leaving.signal);
    const other = await write('other');
    expect(await text(other.stream ?? Readable.from([]))).toContain('b64_json');
    leaving.abort();
    await expect(third).rejects.toBeDefined();
    one.stream?.destroy();
    two.stream?.destroy();
    expect((await write('slow')).status).toBe(200);
  });

  test('images that are gone are an error before the first byte, and free their place', async () => {
    const gone = createDeps(() => Promise.resolve(null));
    for (let times = 0; times < 5; times++) {
      await expect(write('a', undefined, gone)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});
