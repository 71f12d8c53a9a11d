import { describe, expect, test } from '@jest/globals';
import { parseOwnResultUrl } from './image-key.js';

const id = `gen_${'a1B'.repeat(8)}`;
const base = 'https://gateway.example:8443/files';

describe('parse own result url', () => {
  test.each([
    `${base}/images/${id}/0.png`,
    `${base}/images/${id}/3.jpg?x=1#y`,
    `${base}/images/${id}/0.webp`,
  ])('a result URL of this gateway is recognised: %s', (url) => {
    expect(parseOwnResultUrl(url, base)?.taskId).toBe(id);
    expect(parseOwnResultUrl(url, base)?.key).toMatch(/^images\/gen_\w+\/\d\.(png|jpg|webp)$/);
  });

  test.each([
    `${base}/images/${id}/0.verylong`,
    `${base}/images/${id}`,
    `${base}/images/x/0.png`,
    `${base}/images/${id}/0.png/1`,
  ])('a result URL of this gateway that can name no image has no key, and is never fetched: %s', (url) => {
    expect(parseOwnResultUrl(url, base)).toEqual({ taskId: '', key: null });
  });

  test.each([
    'https://gateway.example/files/images/x/0.png',
    'http://gateway.example:8443/files/images/x/0.png',
    `https://gateway.example:8443/images/${id}/0.png`,
    `https://gateway.example:8443.evil.example/files/images/${id}/0.png`,
    `https://evil.example/?${base}/images/${id}/0.png`,
  ])('a result URL of this gateway is not every URL that looks like one: %s', (url) => {
    expect(parseOwnResultUrl(url, base)).toBeNull();
  });
});
