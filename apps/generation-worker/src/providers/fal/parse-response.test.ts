import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ProviderError } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { decodeJson } from '../http/json-decoder.js';
import { parseJob, pollJob } from './parse-response.js';

const paths = {
  status: '/a/b/requests/r/status',
  result: '/a/b/requests/r',
  cancel: '/a/b/requests/r/cancel',
};
const answer = (status: number, body?: unknown, headers: Record<string, string> = {}): UpstreamResponse => ({
  status,
  headers,
  json: body === undefined ? null : decodeJson(Buffer.from(JSON.stringify(body))),
});
const completed = answer(200, { status: 'COMPLETED' });

/** Polls a job with the given responses for its status and result; a failed poll returns its failure class. */
async function look(status: UpstreamResponse, result: UpstreamResponse) {
  const asked: string[] = [];
  try {
    const seen = await pollJob(async (path) => {
      asked.push(path);
      return path.includes('/status') ? status : result;
    }, paths);
    if (seen.kind === 'done') {
      return { asked, done: seen.result.urls };
    }
    return { asked, [seen.kind]: seen.kind === 'failed' ? seen.error.failure : true };
  } catch (error) {
    if (!(error instanceof ProviderError)) {
      throw error;
    }
    return { asked, lookFailed: error.failure };
  }
}

describe('a job of fal', () => {
  test.each(['IN_QUEUE', 'IN_PROGRESS', 'A_NEW_STATUS'])(
    'a job of fal runs while its status is %s',
    async (status) => {
      const seen = await look(answer(202, { status }), answer(500));
      expect(seen).toEqual({ asked: [`${paths.status}?logs=0`], pending: true });
    },
  );

  test.each([
    [answer(202, { status: 'IN_PROGRESS' }), { pending: true }],
    [answer(400, { detail: 'Request is still in progress' }), { pending: true }],
    [answer(400, { detail: 'no', error_type: 'bad_request' }), { failed: 'unexplained' }],
    [answer(404, { detail: 'not found' }), { failed: 'unknown' }],
    [answer(404, { detail: 'Path /dev/edit not found' }), { failed: 'model-gone' }],
    [answer(200, { images: [{ url: 'https://x' }] }), { done: ['https://x'] }],
    [answer(200, { image: { url: 'https://x' } }), { done: ['https://x'] }],
    [answer(200, { image: null }), { failed: 'bad-response' }],
    [answer(200, { images: [] }), { failed: 'no-image' }],
    [answer(200, { images: [{ url: null }] }), { failed: 'bad-response' }],
    [answer(200, { images: 'none' }), { failed: 'bad-response' }],
    [answer(200), { lookFailed: 'bad-response' }],
    [answer(302), { lookFailed: 'bad-response' }],
    [answer(401, { detail: 'no' }), { lookFailed: 'auth' }],
    [answer(429), { lookFailed: 'rate-limit' }],
    [answer(422), { failed: 'unexplained' }],
    [answer(502), { lookFailed: 'upstream-error' }],
    [answer(503, { detail: 'no', error_type: 'runner_disconnected' }), { failed: 'overload' }],
    [answer(500, { detail: 'no' }, { 'x-fal-billable-units': '0' }), { failed: 'upstream-error' }],
    [answer(500, { detail: 'no' }, { 'x-fal-retryable': 'false' }), { failed: 'upstream-error' }],
  ])('a job of fal that is completed is what its result says: %j', async (result, expected) => {
    expect(await look(completed, result)).toMatchObject(expected);
  });

  test.each([
    [{ has_nsfw_concepts: [false, true] }, [false, true]],
    [{ nsfw_content_detected: [true, false] }, [true, false]],
    [{ has_nsfw_concepts: true }, [true]],
    [{ has_nsfw_concepts: 'yes' }, [false]],
    [{}, [false]],
  ])('a job of fal says which images its safety checker has blacked out: %j', async (flags, moderated) => {
    const images = [{ url: 'https://x' }, { url: 'https://y' }];
    const get = (path: string) =>
      Promise.resolve(answer(200, path.includes('status') ? { status: 'COMPLETED' } : { images, ...flags }));
    const paths = { status: '/status', result: '/result', cancel: '/cancel' };
    const progress = await pollJob(get, paths);
    const errors = progress.kind === 'done' ? progress.result.errors : [];
    expect(errors?.map((error) => error?.failure === 'moderation')).toEqual(moderated);
  });

  test('a job of fal that is completed with an error has failed, also when its result says nothing about it', async () => {
    const withError = answer(200, { status: 'COMPLETED', error: 'no', error_type: 'startup_timeout' });
    expect(await look(withError, answer(502))).toMatchObject({ failed: 'timeout' });
  });

  test('a job of fal that nobody knows any more is an unknown outcome, trouble with the status a failed look', async () => {
    expect(await look(answer(404), completed)).toMatchObject({ failed: 'unknown' });
    expect(await look(answer(401), completed)).toMatchObject({ lookFailed: 'auth' });
    expect(await look(answer(500), completed)).toMatchObject({ lookFailed: 'upstream-error' });
    expect(await look(answer(200), completed)).toMatchObject({ lookFailed: 'bad-response' });
    expect(await look(answer(200, { status: 7 }), completed)).toMatchObject({ lookFailed: 'bad-response' });
  });

  test('a job of fal is never read with another error than ProviderError, whatever is answered', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 200, max: 599 }),
        fc.oneof(
          fc.jsonValue(),
          fc.record({ images: fc.jsonValue() }),
          fc.record({ detail: fc.jsonValue() }),
        ),
        async (status, body) => {
          await look(answer(status, body), answer(status, body));
          await look(completed, answer(status, body));
        },
      ),
    );
  });
});

describe('a submission', () => {
  const submission = { model: 'fal-ai/nano-banana', basePath: '' };

  test.each([
    {},
    { request_id: 7 },
    { request_id: '' },
    { request_id: '../x' },
    { request_id: 'a b' },
    [],
    'text',
    undefined,
  ])('a submission that was taken without a usable id may have been billed: %j', (body) => {
    expect(() => parseJob(answer(200, body), submission)).toThrow(
      expect.objectContaining({ failure: 'unknown' }),
    );
  });

  test('a submission that was refused was not', () => {
    expect(() => parseJob(answer(503), submission)).toThrow(expect.objectContaining({ failure: 'overload' }));
  });
});
