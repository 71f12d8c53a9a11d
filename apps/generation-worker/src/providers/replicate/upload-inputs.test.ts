import { describe, expect, test } from '@jest/globals';
import { ProviderError } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { decodeJson } from '../http/json-decoder.js';
import type { InputImage } from '../port.js';
import { type FileForm, MAX_INLINE_BYTES, uploadInputs } from './upload-inputs.js';

const answer = (status: number, body: unknown): UpstreamResponse => ({
  status,
  headers: {},
  json: decodeJson(Buffer.from(JSON.stringify(body))),
});
const input = (length: number, fill: string): InputImage => ({
  bytes: Buffer.alloc(length, fill),
  contentType: 'image/webp',
  width: 1,
  height: 1,
});
const addressed = (name: string) =>
  answer(201, { urls: { get: `https://api.replicate.com/v1/files/${name}` } });

async function fileIn({ contentType, body }: FileForm): Promise<File> {
  const headers = { 'content-type': contentType };
  const form = await new Response(new Uint8Array(body), { headers }).formData();
  expect([...form.keys()]).toEqual(['content']);
  return form.get('content') as File;
}

describe('upload inputs', () => {
  test('input images of up to 256 KB go into the request, others are uploaded, all in their order', async () => {
    const large = MAX_INLINE_BYTES + 1;
    const inputs = [input(large, 'a'), input(MAX_INLINE_BYTES, 'b'), input(large, 'c')];
    const files: File[] = [];
    const places = await uploadInputs(async (form) => {
      const file = await fileIn(form);
      files.push(file);
      return addressed((await file.text()).slice(0, 1));
    }, inputs);
    expect(places).toEqual([
      'https://api.replicate.com/v1/files/a',
      { embed: inputs[1]?.bytes, prefix: 'data:image/webp;base64,' },
      'https://api.replicate.com/v1/files/c',
    ]);
    expect(files.map(({ name, type, size }) => [name, type, size])).toEqual([
      ['input.webp', 'image/webp', large],
      ['input.webp', 'image/webp', large],
    ]);
  });

  test('input images are uploaded byte for byte', async () => {
    const bytes = Buffer.from(Array.from({ length: MAX_INLINE_BYTES * 2 }, (_, at) => (at * 31) % 256));
    const sent: Buffer[] = [];
    await uploadInputs(
      async (form) => {
        sent.push(Buffer.from(await (await fileIn(form)).arrayBuffer()));
        return addressed('a');
      },
      [{ ...input(0, ''), bytes }],
    );
    expect(sent.map((one) => one.equals(bytes))).toEqual([true]);
  });

  test.each([
    [answer(401, {}), 'auth'],
    [answer(404, {}), 'config-drift'],
    [answer(500, {}), 'upstream-error'],
    [answer(201, {}), 'bad-response'],
    [answer(201, { urls: { get: 7 } }), 'bad-response'],
    [answer(201, { urls: { get: 'file:///etc/passwd' } }), 'bad-response'],
    [answer(201, { urls: { get: 'https://' } }), 'bad-response'],
    [{ ...answer(201, {}), json: null }, 'bad-response'],
  ])('input images that can not be uploaded fail the call: %j', async (bad, failure) => {
    const placing = uploadInputs(async () => bad, [input(MAX_INLINE_BYTES + 1, 'a')]);
    await expect(placing).rejects.toMatchObject({ failure });
  });

  test('input images fail the call after every upload has ended, so that nothing goes on behind its back', async () => {
    let ended = 0;
    const placing = uploadInputs(
      async () => {
        ended += 1;
        throw new ProviderError('transport', 'scripted');
      },
      Array.from({ length: 9 }, () => input(MAX_INLINE_BYTES + 1, 'a')),
    );
    await expect(placing).rejects.toMatchObject({ failure: 'transport' });
    expect(ended).toBe(9);
  });
});
