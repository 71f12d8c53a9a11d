import { resolveTaskApi, type TaskApi } from '@image-gateway/shared/upstreams';
import { describe, expect, test } from '@jest/globals';
import { ProviderError } from '../failures.js';
import { decodeJson } from '../http/json-decoder.js';
import type { ProviderRequest } from '../port.js';
import { buildRequest } from './build-request.js';
import { parseCancellation, parsePoll, parseSubmission } from './parse-response.js';

const REQUEST: Omit<ProviderRequest, 'inputs'> = {
  taskId: 'gen_1',
  callId: 'call-7',
  model: 'a-model',
  prompt: 'a {model} of {prompt}',
  negativePrompt: null,
  aspectRatio: '9:16',
  resolution: '2k',
  takesResolution: true,
  key: null,
  fields: {},
  options: {},
  slots: [0, 1],
  earlierCalls: 0,
  job: null,
};
const preset = (name: NonNullable<Parameters<typeof resolveTaskApi>[0]['preset']>): TaskApi => {
  const api = resolveTaskApi({ preset: name });
  if (api === null) {
    throw new Error('no such preset');
  }
  return api;
};
const response = (body: unknown, status = 200) => ({
  status,
  headers: {},
  json: decodeJson(Buffer.from(JSON.stringify(body))),
});
const findFailure = (action: () => unknown): string => {
  try {
    action();
    return 'none';
  } catch (error) {
    return error instanceof ProviderError ? error.failure : String(error);
  }
};

describe('the body of a submission to a task API', () => {
  test('the body of a submission has the values of the request, and none of a text of the customer', () => {
    const { path, headers, body } = buildRequest(preset('image-gateway'), REQUEST, { inputs: [] });
    expect({ path, headers, body }).toEqual({
      path: '/generate',
      headers: { 'idempotency-key': 'call-7' },
      body: {
        model: 'a-model',
        prompt: 'a {model} of {prompt}',
        aspect_ratio: '9:16',
        resolution: '2k',
        num_outputs: 2,
      },
    });
  });

  test('a negative prompt has its field, or stands at the end of the prompt', () => {
    const request = { ...REQUEST, prompt: 'a fox', negativePrompt: 'text' };
    expect(buildRequest(preset('image-gateway'), request, { inputs: [] }).body).toMatchObject({
      prompt: 'a fox',
      negative_prompt: 'text',
    });
    expect(buildRequest(preset('evolink'), request, { inputs: [] }).body).toMatchObject({
      prompt: 'a fox\n\nAvoid: text',
    });
  });

  test('an edit has its own path, and an entry for each image', () => {
    const { path, body } = buildRequest(preset('sub2api'), REQUEST, { inputs: ['https://a', 'https://b'] });
    expect(path).toBe('/images/edits/async');
    expect(body).toMatchObject({ images: [{ image_url: 'https://a' }, { image_url: 'https://b' }] });
    expect(body).not.toHaveProperty('mask');
    expect(buildRequest(preset('sub2api'), REQUEST, { inputs: [] }).path).toBe('/images/generations/async');
  });

  test('options of a route join the body at every depth, and replace nothing that the customer asked for', () => {
    const options = { input: { google_search: true, prompt: 'mine', aspect_ratio: '1:1', resolution: null } };
    expect(
      buildRequest(preset('kie'), { ...REQUEST, prompt: 'a fox', options }, { inputs: [] }).body,
    ).toEqual({
      model: 'a-model',
      input: { prompt: 'a fox', aspect_ratio: '9:16', google_search: true },
    });
  });

  test('a placeholder in a longer text is part of it, and the field is left out where it has no value', () => {
    const api = {
      submit: {
        path: '/',
        id: '$.id',
        body: { prompt: '{prompt} --ar {aspect_ratio}', seed: 'seed {seed}', fixed: 3 },
      },
    };
    expect(buildRequest(api, { ...REQUEST, prompt: 'a fox' }, { inputs: [] }).body).toEqual({
      prompt: 'a fox --ar 9:16',
      fixed: 3,
    });
  });
});

describe('an answer of a task API', () => {
  const kie = preset('kie');
  const poll = (api: TaskApi, body: unknown, status = 200) =>
    parsePoll(api, response(body, status), { id: 'job', key: null });

  test('an accepted submission without an id may have been billed; a refusal in its body was not', () => {
    expect(parseSubmission(kie, response({ code: 200, data: { taskId: 'job' } }), null)).toBe('job');
    expect(findFailure(() => parseSubmission(kie, response({ code: 200, data: {} }), null))).toBe('unknown');
    expect(findFailure(() => parseSubmission(kie, response('no object'), null))).toBe('unknown');
    expect(findFailure(() => parseSubmission(kie, response({ code: 401, msg: 'no' }), null))).toBe('auth');
    expect(findFailure(() => parseSubmission(kie, response({ code: 402, msg: 'no credits' }), null))).toBe(
      'billing',
    );
    expect(findFailure(() => parseSubmission(kie, response({ code: 433, msg: 'limit' }), null))).toBe(
      'quota',
    );
    expect(findFailure(() => parseSubmission(kie, response({ code: 455, msg: 'x' }), null))).toBe('overload');
    expect(findFailure(() => parseSubmission(kie, response({}, 503), null))).toBe('overload');
  });

  test('a state of a job that no list has is an unknown outcome, and so is a job that nobody knows', () => {
    expect(poll(kie, { data: { state: 'generating' } })).toEqual({ kind: 'pending' });
    expect(poll(kie, { data: { state: 'paused' } })).toMatchObject({
      kind: 'failed',
      error: { failure: 'unknown' },
    });
    expect(poll(kie, { code: 404, msg: 'gone' })).toMatchObject({
      kind: 'failed',
      error: { failure: 'unknown' },
      mayChange: 'while-new',
    });
    expect(poll(kie, {}, 404)).toMatchObject({ kind: 'failed', error: { failure: 'unknown' } });
    // A failed poll says nothing about the job.
    expect(findFailure(() => poll(kie, {}, 500))).toBe('upstream-error');
    expect(findFailure(() => poll(kie, { code: 500, msg: 'x' }))).toBe('upstream-error');
    expect(findFailure(() => poll(kie, {}))).toBe('bad-response');
  });

  test('a state in capitals is the one in small letters', () => {
    expect(poll(kie, { data: { state: 'Generating' } })).toEqual({ kind: 'pending' });
    expect(poll(kie, { data: { state: 'FAIL', failMsg: 'x' } })).toMatchObject({ kind: 'failed' });
    const resultJson = JSON.stringify({ resultUrls: ['https://x/a.png'] });
    expect(poll(kie, { data: { state: 'SUCCESS', resultJson } })).toMatchObject({ kind: 'done' });
  });

  test('a job that has ended and shows no image yet is looked at once more', () => {
    expect(poll(kie, { data: { state: 'success', resultJson: '' } })).toMatchObject({
      kind: 'failed',
      error: { failure: 'no-image' },
      mayChange: 'once',
    });
  });

  test('images are addresses or lists of them', () => {
    const done = (url: unknown) =>
      poll(preset('apimart'), { code: 200, data: { status: 'completed', result: { images: [{ url }] } } });
    expect(done(['https://a/1.png'])).toMatchObject({ kind: 'done', result: { urls: ['https://a/1.png'] } });
    expect(done('https://a/1.png')).toMatchObject({ kind: 'done', result: { urls: ['https://a/1.png'] } });
    expect(done([null, '', 7])).toMatchObject({ kind: 'failed', error: { failure: 'no-image' } });
  });

  test('images may stand in a text that is JSON itself', () => {
    const data = { state: 'success', resultJson: '{"resultUrls":["https://a/1.png","https://a/2.png"]}' };
    expect(poll(kie, { data })).toMatchObject({
      kind: 'done',
      result: { urls: ['https://a/1.png', 'https://a/2.png'], costMicros: null },
    });
    expect(poll(kie, { data: { state: 'success', resultJson: 'no JSON' } })).toMatchObject({
      kind: 'failed',
      error: { failure: 'no-image' },
    });
  });

  test.each([
    [0.015, '1', 15_000n],
    ['$0.0100', '1', 10_000n],
    [3, '0.005', 15_000n],
    [0, '1', 0n],
    [-1, '1', null],
    ['', '1', null],
    [null, '1', null],
    ['free', '1', null],
  ])('the cost %j in units of %s dollars is %s micro-dollars', (cost, cost_unit, costMicros) => {
    const data = { status: 'completed', cost, result: { images: [{ url: ['https://a/1.png'] }] } };
    expect(poll({ ...preset('apimart'), cost_unit }, { data })).toMatchObject({
      kind: 'done',
      result: { costMicros },
    });
  });

  test.each([
    [{ code: 'content_policy_violation', message: 'no' }, 'moderation'],
    [{ code: 'nsfw_detected', message: '' }, 'moderation'],
    [{ code: 'x', message: 'Your prompt was flagged as sensitive' }, 'moderation'],
    [{ code: 'x', message: 'safety module not loaded' }, 'upstream-error'],
    [{ code: 'insufficient_credits', message: '' }, 'billing'],
    [{ code: 'invalid_input', message: '' }, 'invalid-input'],
    [{ code: 'E42', message: 'queue full' }, 'overload'],
    [{ code: 'x', message: 'The HOUSE is on fire' }, 'quota'],
    [{}, 'upstream-error'],
  ])('an error of a job is sorted by lists and common words: %j', (error, failure) => {
    const api = { ...preset('evolink'), codes: { overload: ['E42'], quota: ['house is on fire'] } };
    expect(poll(api, { status: 'failed', error })).toMatchObject({ kind: 'failed', error: { failure } });
  });

  test('a cancellation is true for a job that will stop, and false for one that has ended or is unknown', () => {
    const api = preset('image-gateway');
    const cancel = (body: unknown, status = 200) => parseCancellation(api, response(body, status), null);
    expect(cancel({ data: { status: 'pending' } })).toBe(true);
    expect(cancel({ data: { status: 'failed' } })).toBe(true);
    expect(cancel({ data: { status: 'completed' } })).toBe(false);
    expect(cancel({}, 404)).toBe(false);
    expect(findFailure(() => cancel({}, 503))).toBe('overload');
  });
});
