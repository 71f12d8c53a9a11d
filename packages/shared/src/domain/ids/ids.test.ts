import { describe, expect, test } from '@jest/globals';
import {
  imageKey,
  isApiKey,
  isId,
  newApiKey,
  newId,
  newRequestId,
  parseImageKey,
  readRequestTime,
} from './index.js';

describe('ids', () => {
  test('an id is its prefix and 22 base-62 characters, and never repeats', () => {
    const ids = new Set(Array.from({ length: 10_000 }, () => newId('gen')));
    expect(ids.size).toBe(10_000);
    for (const id of ids) {
      expect(id).toMatch(/^gen_[0-9A-Za-z]{22}$/);
    }
  });

  test('every character of an id is as likely as any other', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 20_000; i++) {
      for (const character of newId('gen').slice(4)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    const expected = (20_000 * 22) / 62;
    // Nine standard deviations: never by chance, always with a byte that is merely divided by 62.
    for (const count of counts.values()) {
      expect(Math.abs(count - expected)).toBeLessThan(9 * Math.sqrt(expected));
    }
  });

  test('a request id carries its time, and another text has none', () => {
    const now = Date.UTC(2031, 4, 6, 7, 8, 9, 10);
    const id = newRequestId(now);
    expect([id.length, newRequestId(now) === id, readRequestTime(id, now)]).toEqual([
      26,
      false,
      new Date(now),
    ]);
    const others = [
      'req_1',
      `gen${id.slice(3)}`,
      `${id}0`,
      newRequestId(now + 3_600_000),
      newRequestId(0),
      id.slice(4),
    ];
    expect(others.map((text) => readRequestTime(text, now))).toEqual(others.map(() => null));
  });

  test('an id has its prefix and 22 to 64 characters of base 62; nothing else is looked up', () => {
    const [short, least, longest] = [21, 22, 64].map((length) => `gen_${'a'.repeat(length)}`);
    expect([short, least, longest, `${longest}a`, newId('msg')].map((id) => isId('gen', id ?? ''))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    for (const text of ['', 'gen_', `gen_${'-'.repeat(22)}`, `gen_${'a'.repeat(22)}\n`, `x${newId('gen')}`]) {
      expect(isId('gen', text)).toBe(false);
    }
  });

  test('the key of an image names its task; a key that cannot be one names none', () => {
    const id = newId('gen');
    expect(imageKey(id, 12, 'png')).toBe(`images/${id}/12.png`);
    expect(parseImageKey(imageKey(id, 12, 'png'))).toEqual({ taskId: id });
    for (const key of [`images/${id}/00.png`, `images/${id}/`, 'images/x/0.png', `images/${id}/0.png/1`]) {
      expect(parseImageKey(key)).toBeNull();
    }
  });

  test('an API key ends in the CRC-32 of its random characters, as an earlier release wrote it', () => {
    expect(isApiKey(`gw_live_${'0'.repeat(32)}2wjyrI`)).toBe(true);
  });

  test('a key of ours is recognised and begins with its prefix', () => {
    for (let i = 0; i < 1000; i++) {
      const { key, prefix } = newApiKey();
      expect(isApiKey(key)).toBe(true);
      expect(key.startsWith(prefix)).toBe(true);
    }
  });

  test('a key with one changed character is refused', () => {
    const { key } = newApiKey();
    for (let i = 0; i < key.length; i++) {
      const other = key[i] === 'a' ? 'b' : 'a';
      expect(isApiKey(key.slice(0, i) + other + key.slice(i + 1))).toBe(false);
    }
    expect(isApiKey('')).toBe(false);
    expect(isApiKey(`${key} `)).toBe(false);
  });
});
