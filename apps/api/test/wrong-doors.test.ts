import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const post = async (path: string, hasKey = true) => {
  const as = hasKey ? { as: await api.account() } : {};
  return api.call(path, { ...as, body: { prompt: 'x' } });
};

describe('paths of clients whose base URL is wrong', () => {
  test.each([
    '/v1/images/generations',
    '/v1/images/edits',
    '/images/generations',
    '/v1/chat/completions',
    '/chat/completions',
    '/v1/responses',
    '/openai/images/generations',
    '/v1/v1/images/generations',
    '/v1/batches',
    '/openai/files',
  ])('%s is 404 and names the right address', async (path) => {
    const { status, json } = await post(path);
    expect({ status, ...json.error }).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      message: expect.stringContaining('http://gateway.test/openai/v1'),
    });
  });

  test('/openai/v1/v1 names the right address in the error object of OpenAI', async () => {
    const { status, json } = await post('/openai/v1/v1/images/generations');
    expect({ status, ...json.error }).toMatchObject({
      status: 404,
      type: 'invalid_request_error',
      message: expect.stringContaining('below http://gateway.test/openai/v1:'),
    });
  });

  test.each([
    '/openai/v1/chat/completions',
    '/openai/v1/responses',
    '/openai/v1/images/variations',
    '/openai/v1/batches',
    '/openai/v1/files',
  ])('%s says in the error object of OpenAI what is served', async (path) => {
    const { status, json } = await post(path);
    expect({ status, ...json.error }).toMatchObject({
      status: 404,
      type: 'invalid_request_error',
      code: 'not_found',
      message: expect.stringContaining('POST /openai/v1/images/generations'),
    });
  });

  test.each([
    ['/v1/generat', 'Not found. POST /v1/generate is.'],
    ['/v1/Generate/', 'Not found. POST /v1/generate is.'],
    ['/v1/modells', 'Not found. GET /v1/models is.'],
    ['/v1/v1/generate', 'Not found. POST /v1/generate is: leave /v1 out of the base URL of the client.'],
    [
      '/v1/v1/v1/tasks/gen_x',
      'Not found. GET and DELETE /v1/tasks/gen_x is: leave /v1 out of the base URL of the client.',
    ],
    ['/v1/account', 'POST is not served here: GET /v1/account is.'],
    ['/v1/tasks/gen_x/events', 'POST is not served here: GET /v1/tasks/gen_x/events is.'],
  ])('POST %s is 404 and says: %s', async (path, message) => {
    const { status, json } = await post(path);
    expect({ status, ...json.error }).toEqual({ status: 404, code: 'NOT_FOUND', message });
  });

  test('a key is still asked for first below /v1, and other paths say nothing more', async () => {
    expect((await post('/v1/images/generations', false)).status).toBe(401);
    for (const path of ['/v1/nothing', '/nothing']) {
      expect((await post(path)).json.error).toEqual({ code: 'NOT_FOUND', message: 'Not found.' });
    }
  });

  test('without the OpenAI-compatible API no door is named', async () => {
    const own = await startApi({ OPENAI_FACADE: 'false' });
    try {
      const { json } = await own.call('/v1/images/generations', { as: await own.account(), body: {} });
      expect(json.error.message).toBe('Not found.');
    } finally {
      await own.stop();
    }
  });
});
