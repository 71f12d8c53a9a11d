import { describe, expect, test } from '@jest/globals';
import { getWaitMs } from './get-wait-ms.js';

const waitMs = (headers: Readonly<Record<string, string>>, maxMs = 280_000, elapsedMs = 0): number =>
  getWaitMs({ maxMs, elapsedMs, header: (name) => (headers[name] === undefined ? [] : [headers[name]]) });

describe('the longest wait of a request', () => {
  test.each([
    ['FACADE_MAX_WAIT', {}, 280_000],
    ['90 s behind Cloudflare', { 'cf-ray': '8a' }, 90_000],
    ['5 s less than the client has', { 'x-stainless-timeout': '60' }, 55_000],
    ['at least a second', { 'x-stainless-timeout': '3' }, 1_000],
    ['the least of all', { 'cf-ray': '8a', 'x-stainless-timeout': '600' }, 90_000],
    ['FACADE_MAX_WAIT for a malformed header', { 'x-stainless-timeout': 'long' }, 280_000],
  ])('the longest wait of a request is %s', (_, headers, ms) => {
    expect(waitMs(headers)).toBe(ms);
  });

  test('the longest wait of a request is less when the request took long to arrive, and never more than FACADE_MAX_WAIT', () => {
    expect(waitMs({ 'x-stainless-timeout': '60' }, 280_000, 20_000)).toBe(35_000);
    expect(waitMs({ 'cf-ray': '8a' }, 55_000)).toBe(55_000);
  });
});
