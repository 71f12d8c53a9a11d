import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createJsonDecoder, type DecodedJson } from './json-decoder.js';

const LONG = 64 * 1024;
const PIECE = 2 * 1024 * 1024;

/** Decodes JSON that comes in pieces of any sizes. */
function decodeJson(bytes: Buffer, sizes: readonly number[] = [65_536]): DecodedJson {
  const decoder = createJsonDecoder();
  decoder.replace(Buffer.alloc(decoder.measureRoom(bytes.length)));
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    decoder.write(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return decoder.parse();
}

/** The one string of `{"data":"…"}`, decoded. */
async function decodeData(text: string, sizes: readonly number[] = [65_536, 1, 7, 100_000]): Promise<Buffer> {
  const json = decodeJson(Buffer.from(`{"data":${text},"after":[1,"\\"x"]}`), sizes);
  const { data, after } = json.value as { readonly data: string; readonly after: unknown };
  expect(after).toEqual([1, '"x']);
  return json.decodeBytes(data);
}

describe('a JSON answer', () => {
  test('a JSON answer is what JSON says, as long as its strings are short', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(undefined, 2),
        fc.integer({ min: 1, max: 9 }),
        (value, indent, size) => {
          const text = JSON.stringify(value, null, indent);
          expect(decodeJson(Buffer.from(text), [size]).value).toEqual(JSON.parse(text));
        },
      ),
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

  test('the bytes behind a string of an answer are the same wherever its pieces end', async () => {
    const write = fc.constantFrom(
      (bytes: Buffer) => bytes.toString('base64'),
      (bytes: Buffer) => bytes.toString('base64').replaceAll('/', '\\/').replaceAll('A', '\\u0041'),
      (bytes: Buffer) => (bytes.toString('base64').match(/.{1,77}/g) ?? []).join('\\r\\n'),
      (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64url')}`,
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(
        write,
        sizes,
        fc.integer({ min: 66_000, max: 300_000 }),
        async (encode, pieces, size) => {
          const bytes = randomBytes(size);
          expect((await decodeData(`"${encode(bytes)}"`, [...pieces, 90_000])).equals(bytes)).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('a response whose text alone would stop the event loop is refused', () => {
    const words = JSON.stringify(Array.from({ length: 60_000 }, () => 'x'.repeat(40)));
    expect(() => decodeJson(Buffer.from(words))).toThrow('too long');
  });
});

test('a JSON answer may begin with a byte order mark', () => {
  expect(decodeJson(Buffer.from('\ufeff{"a":["b"]}')).value).toEqual({ a: ['b'] });
});
