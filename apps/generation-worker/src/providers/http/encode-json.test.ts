import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodeJson, toBase64, toDataUrl } from './encode-json.js';
import { decodeJson } from './json-decoder.js';

const parsed = async (value: unknown): Promise<unknown> =>
  JSON.parse((await encodeJson(value)).toString('utf8'));

describe('encode json', () => {
  test('a JSON body with images in it is the JSON of a value that holds none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect((await encodeJson(value)).toString('utf8')).toBe(JSON.stringify(value));
      }),
    );
  });

  test('a JSON body with images in it has each image in its place, plain or as a data URL', async () => {
    const [one, two, none] = [Buffer.from('one'), Buffer.from('two!'), Buffer.alloc(0)];
    expect(
      await parsed({
        first: { data: toBase64(one) },
        list: [toDataUrl({ bytes: two, contentType: 'image/png' }), toBase64(none), 'text', toBase64(one)],
        absent: undefined,
      }),
    ).toEqual({
      first: { data: one.toString('base64') },
      list: [`data:image/png;base64,${two.toString('base64')}`, '', 'text', one.toString('base64')],
    });
  });

  // 1.5 MB is where one piece ends and the next begins.
  test.each([1, 2, 3, 1_572_863, 1_572_864, 1_572_865, 4_000_000])(
    'a JSON body with images in it carries an image of %d bytes there and back',
    async (size) => {
      const bytes = randomBytes(size);
      const json = decodeJson(await encodeJson({ image: toBase64(bytes) }));
      const { image } = json.value as { readonly image: string };
      expect((await json.decodeBytes(image)).equals(bytes)).toBe(true);
    },
  );

  test('a JSON body with images in it lets other work go on while it is written', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    await encodeJson(Array.from({ length: 9 }, () => toBase64(Buffer.alloc(6_000_000))));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});
