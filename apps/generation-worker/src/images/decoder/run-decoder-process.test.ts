import type { AppError } from '@image-gateway/shared/errors';
import { buildPng } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { readHeader } from '../read-header.js';
import { createDecoder } from './create-decoder.js';
import { decodeImage } from './decode-image.js';
import { runDecoderProcess } from './run-decoder-process.js';

const MIB = 1024 * 1024;
const bounds = { memoryBytes: 400 * MIB, timeoutMs: 60_000 };
const refusal = { name: 'ImageError', defect: 'not-an-image' };
const held = () => buildPng({ width: 6_320, height: 6_320, depth: 16, colour: 'rgba', interlaced: true });

describe('run decoder process', () => {
  test('a decoder process gives the same image as a thread', async () => {
    const bytes = await sharp({ create: { width: 3_000, height: 100, channels: 3, background: '#357' } })
      .webp()
      .toBuffer();
    const header = await readHeader(bytes);
    expect(await runDecoderProcess('validate', bytes, { header, ...bounds })).toBeNull();
    const resized = await runDecoderProcess('resize', bytes, { header, ...bounds });
    expect(resized).toMatchObject({ format: 'jpeg', width: 2_048, height: 68 });
    expect(resized).toEqual(await decodeImage('resize', bytes, header));
  });

  test('a decoder process refuses a truncated image', async () => {
    const bytes = held().subarray(0, -2_000);
    const header = await readHeader(bytes);
    await expect(runDecoderProcess('validate', bytes, { header, ...bounds })).rejects.toMatchObject(refusal);
  });

  test('a decoder process that needs more memory than it was given ends alone, and the image is refused', async () => {
    const bytes = held();
    const header = await readHeader(bytes);
    const small = { ...bounds, header, memoryBytes: 64 * MIB };
    await expect(runDecoderProcess('resize', bytes, small)).rejects.toMatchObject(refusal);
    expect(await runDecoderProcess('validate', bytes, { header, ...bounds })).toBeNull();
  });

  test('a decoder process that dies before it looks at the image refuses no image', async () => {
    const bytes = held();
    const header = await readHeader(bytes);
    const failures: AppError[] = [];
    const decode = createDecoder({ nodePath: '/bin/false', onFailure: (error) => failures.push(error) });
    const own = { code: 'INTERNAL_ERROR', retryable: true };
    await expect(decode('validate', bytes, { header })).rejects.toMatchObject(own);
    expect(failures).toEqual([expect.objectContaining(own)]);
  });

  test('a decoder process that takes longer than it may is ended, and the image is refused', async () => {
    const bytes = held();
    const header = await readHeader(bytes);
    await expect(
      runDecoderProcess('validate', bytes, { ...bounds, header, timeoutMs: 30 }),
    ).rejects.toMatchObject({ ...refusal, cause: { message: 'the decoder was not done after 30 ms' } });
  });
});
