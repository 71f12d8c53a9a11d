import { describe, expect, test } from '@jest/globals';
import { parseResponse } from './parse-response.js';

const BASE = 'http://gpu-1:8091/v1';
const read = (value: unknown) => parseResponse(value, { key: null, baseUrl: BASE }).urls;

describe('parse response', () => {
  test('the images of an answer are those that it holds, in order, else those that it links to', () => {
    const data = [
      { b64_json: 'AAAA', url: 'http://gpu-1/a.png' },
      { b64_json: null, url: 'http://gpu-1/b.png' },
    ];
    expect(read({ data })).toEqual(['AAAA', 'http://gpu-1/b.png']);
  });

  test('the images of an answer may be named without their host; base64 that begins with a slash is no address', () => {
    expect(read({ data: [{ url: '/files/1.png' }, { b64_json: '/9j/4AAQ' }] })).toEqual([
      'http://gpu-1:8091/files/1.png',
      '/9j/4AAQ',
    ]);
  });

  test('the images of an answer are none in an empty list and in one of nonsense', () => {
    for (const data of [[], [null, 7, 'x', {}, { b64_json: '', url: '' }, { b64_json: 7, url: {} }]]) {
      expect(read({ data })).toEqual([]);
    }
  });

  test('the images of an answer may be called what no address can be', () => {
    expect(read({ data: [{ url: '//[' }] })).toEqual(['//[']);
  });

  test.each([
    [null, '"value"'],
    [7, '"value"'],
    [[], '"value"'],
    [{}, '"data"'],
    [{ data: null }, '"data"'],
    [{ data: {} }, '"data"'],
    [{ data: 'x' }, '"data"'],
    [{ data: [7] }, '"data"'],
  ])(
    'the images of an answer are not to be had from an answer without a list, and the error names the place: %j',
    (value, place) => {
      expect(() => read(value)).toThrow(
        expect.objectContaining({ failure: 'bad-response', message: expect.stringContaining(place) }),
      );
    },
  );

  test('what an answer says about its images: the quality of all, and a prompt of each', () => {
    const data = [{ b64_json: 'AAAA', revised_prompt: 'a red fox' }, { b64_json: '' }, { b64_json: 'BBBB' }];
    expect(parseResponse({ data, quality: 'high' }, { key: null, baseUrl: BASE }).said).toEqual([
      { quality: 'high', revisedPrompt: 'a red fox' },
      { quality: 'high', revisedPrompt: undefined },
    ]);
    expect(parseResponse({ data, quality: 'auto' }, { key: null, baseUrl: BASE }).said?.[1]).toEqual({});
  });
});
