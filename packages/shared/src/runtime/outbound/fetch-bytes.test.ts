import { describe, expect, test } from '@jest/globals';
import { parseRedirect } from './fetch-bytes.js';

const from = new URL('https://a.example/images/1.png?x=1');
const hop = (status: number, location?: string, base = from) =>
  parseRedirect({ status, headers: location === undefined ? {} : { location } }, base)?.href ?? null;

describe('redirects', () => {
  test('relative and absolute targets are resolved against where they came from', () => {
    expect(hop(302, '2.png')).toBe('https://a.example/images/2.png');
    expect(hop(301, '//b.example/x#part')).toBe('https://b.example/x');
    expect(hop(308, 'https://c.example:8443/')).toBe('https://c.example:8443/');
  });

  test('a target in raw UTF-8 is the one that was meant, and one in latin1 stays one', () => {
    expect(hop(302, Buffer.from('/Füchse.jpg').toString('latin1'))).toBe('https://a.example/F%C3%BCchse.jpg');
    expect(hop(302, '/F\u00fcchse.jpg')).toBe('https://a.example/F%C3%BCchse.jpg');
  });

  test('from https to http is refused, the other way round is not', () => {
    expect(() => hop(302, 'http://a.example/')).toThrow(
      expect.objectContaining({ reason: 'redirect', sent: true }),
    );
    expect(hop(302, 'https://a.example/', new URL('http://a.example/'))).toBe('https://a.example/');
  });

  test('only the five redirects with a target are redirects', () => {
    for (const status of [200, 300, 304, 305, 306, 404]) {
      expect(hop(status, '/x')).toBeNull();
    }
    expect(hop(302)).toBeNull();
  });
});
