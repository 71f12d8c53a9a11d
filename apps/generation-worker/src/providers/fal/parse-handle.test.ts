import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseHandle, parsePaths } from './parse-response.js';

const id = '764cabcf-b745-4b3e-ae38-1200304cf45b';
const submission = { id, model: 'fal-ai/nano-banana/edit', basePath: '' };
const usual = {
  status: `/fal-ai/nano-banana/requests/${id}/status`,
  result: `/fal-ai/nano-banana/requests/${id}`,
  cancel: `/fal-ai/nano-banana/requests/${id}/cancel`,
};

describe('where a job of fal is asked about', () => {
  test('where a job of fal is asked about is what the submission was answered with', () => {
    const job = `https://queue.fal.run/other/app/requests/${id}`;
    const answer = {
      status_url: `${job}/status`,
      response_url: `${job}/response`,
      cancel_url: `${job}/cancel`,
    };
    expect(parsePaths(answer, submission)).toEqual({
      status: `/other/app/requests/${id}/status`,
      result: `/other/app/requests/${id}/response`,
      cancel: `/other/app/requests/${id}/cancel`,
    });
  });

  test('where a job of fal is asked about is put together from owner and app when the answer does not say, without the endpoint', () => {
    expect(parsePaths({}, submission)).toEqual(usual);
    expect(parsePaths(null, submission)).toEqual(usual);
  });

  test('where a job of fal is asked about never names another origin than our own', () => {
    const answer = { status_url: `https://evil.example/x/requests/${id}/status` };
    expect(parsePaths(answer, submission).status).toBe(`/x/requests/${id}/status`);
  });

  test('where a job of fal is asked about lies below the path of our own base URL', () => {
    const answer = { status_url: `http://stub.internal/fal/a/b/requests/${id}/status` };
    const { status } = parsePaths(answer, { ...submission, basePath: '/fal' });
    expect(status).toBe(`/a/b/requests/${id}/status`);
  });

  test.each([
    ['no text', 7],
    ['no address', `/fal-ai/nano-banana/requests/${id}/status`],
    ['another scheme', `file:///requests/${id}/status`],
    ['another job', 'https://queue.fal.run/fal-ai/nano-banana/requests/another/status'],
    ['a job in the query only', `https://queue.fal.run/account?requests/${id}`],
    [
      'two slashes first, which would be read as a host',
      `https://queue.fal.run//evil.example/requests/${id}/status`,
    ],
    ['far too long', `https://queue.fal.run/${'a'.repeat(2_000)}/requests/${id}/status`],
  ])(
    'where a job of fal is asked about is put together from owner and app when an address is odd: %s',
    (_how, address) => {
      expect(parsePaths({ status_url: address }, submission)).toEqual(usual);
    },
  );

  test('where a job of fal is asked about is a path for every answer', () => {
    fc.assert(
      fc.property(fc.anything(), fc.webUrl(), (value, url) => {
        for (const odd of [value, `${url}/${id}`]) {
          const { status } = parsePaths({ status_url: odd }, submission);
          expect(status).toMatch(/^\/[^/]/);
        }
      }),
    );
  });
});

describe('a saved handle', () => {
  test('a saved handle leads back to the same paths', () => {
    const paths = { status: '/a/b/status', result: '/a/b', cancel: '/a/b/cancel' };
    expect(parseHandle({ id, handle: JSON.stringify(paths) }, submission.model)).toEqual(paths);
  });

  test.each([
    null,
    '',
    'no JSON',
    'null',
    '[]',
    '{}',
    '{"status":7}',
    '{"status":["/x/y"]}',
    '{"status":"//evil.example/x"}',
    '{"status":"https://evil.example/x"}',
    '{"status":"@evil.example/x"}',
  ])('a saved handle that is missing or odd leads to the usual paths: %j', (handle) => {
    expect(parseHandle({ id, handle }, submission.model)).toEqual(usual);
  });
});
