import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeJson } from './decode-json.js';

const LONG = 64 * 1024;
const PIECE = 2 * 1024 * 1024;

/** The one string of `{"data":"…"}`, decoded. */
async function decodeData(text: string): Promise<Buffer> {
  const json = decodeJson(Buffer.from(`{"data":${text},"after":[1,"\\"x"]}`));
  const { data, after } = json.value as { readonly data: string; readonly after: unknown };
  expect(after).toEqual([1, '"x']);
  return json.decodeBytes(data);
}

describe('a JSON answer', () => {
  test('a JSON answer is what JSON says, as long as its strings are short', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(decodeJson(Buffer.from(text)).value).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    '',
    '{',
    '{"a"',
    '"',
    '"\\',
    'nonsense',
    '{"a":1}x',
    '\u0000',
    '<html>',
    `"${'a'.repeat(LONG + 1)}`,
  ])('a JSON answer is refused with a SyntaxError when it is none: %j', (text) => {
    expect(() => decodeJson(Buffer.from(text))).toThrow(expect.objectContaining({ name: 'SyntaxError' }));
  });

  test('a JSON answer never becomes a long JavaScript string', () => {
    const { value } = decodeJson(Buffer.from(JSON.stringify({ a: 'x'.repeat(LONG + 1), b: 'short' })));
    expect(JSON.stringify(value).length).toBeLessThan(100);
    expect(value).toMatchObject({ b: 'short' });
  });

  test('a JSON answer finds its long strings between quotes and backslashes of any number', async () => {
    const [one, two] = [randomBytes(LONG), randomBytes(LONG)];
    const tricky = ['\\', '"', '\\"', '\\\\', '\\\\"', '\u2028'];
    const json = decodeJson(
      Buffer.from(JSON.stringify([...tricky, one.toString('base64'), ...tricky, two.toString('base64')])),
    );
    const list = json.value as readonly string[];
    expect(JSON.stringify(list).length).toBeLessThan(200);
    expect(list.slice(0, 6)).toEqual(tricky);
    expect((await json.decodeBytes(list[6] ?? '')).equals(one)).toBe(true);
    expect((await json.decodeBytes(list.at(-1) ?? '')).equals(two)).toBe(true);
  });
});

describe('the bytes behind a string of an answer', () => {
  test.each([0, 1, 2, 3, 4, LONG, 3 * LONG + 1, PIECE, PIECE + 1, (3 * PIECE) / 4 - 1, (3 * PIECE) / 4 + 1])(
    'the bytes behind a string of an answer are those of its base64: %d of them',
    async (size) => {
      const bytes = randomBytes(size);
      expect((await decodeData(`"${bytes.toString('base64')}"`)).equals(bytes)).toBe(true);
      expect((await decodeData(`"data:image/png;base64,${bytes.toString('base64')}"`)).equals(bytes)).toBe(
        true,
      );
    },
  );

  test.each([
    ['URL-safe letters and no padding', (bytes: Buffer) => bytes.toString('base64url')],
    ['line breaks', (bytes: Buffer) => (bytes.toString('base64').match(/.{1,76}/g) ?? []).join('\\n')],
    ['one blank at its start', (bytes: Buffer) => bytes.toString('base64').replace(/^.{10}/, '$& ')],
    ['escaped slashes', (bytes: Buffer) => bytes.toString('base64').replaceAll('/', '\\/')],
    ['unicode escapes', (bytes: Buffer) => bytes.toString('base64').replaceAll('A', '\\u0041')],
  ])('the bytes behind a string of an answer are the same with %s', async (_name, write) => {
    for (const size of [10, 100, LONG, 2 * PIECE]) {
      const bytes = randomBytes(size);
      expect((await decodeData(`"${write(bytes)}"`)).equals(bytes)).toBe(true);
    }
  });

  test('the bytes behind a string of an answer are some bytes for whatever is no base64', async () => {
    expect(await decodeData('"!!!"')).toEqual(Buffer.alloc(0));
    expect(Buffer.isBuffer(await decodeData(`"${'é🦊'.repeat(LONG)}"`))).toBe(true);
    expect(Buffer.isBuffer(await decodeData('"long-text:7"'))).toBe(true);
  });

  test('the bytes behind a string of an answer are decoded without keeping other work waiting', async () => {
    const text = Buffer.alloc(24_000_000, 'A').toString('latin1');
    const json = decodeJson(Buffer.from(JSON.stringify({ data: text })));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    await json.decodeBytes((json.value as { readonly data: string }).data);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});
