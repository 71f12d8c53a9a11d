import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildPng, pngChunk } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import type { AppError } from '../../../domain/errors/index.js';
import { readHeader } from '../read-header.js';
import { createDecoder, DECODER_BOUNDS } from './create-decoder.js';
import { decodeImage } from './decode-image.js';
import { runDecoderProcess } from './run-decoder-process.js';

const MIB = 1024 * 1024;
const bounds = { memoryBytes: 400 * MIB, timeoutMs: 60_000 };
const refusal = { name: 'ImageError', defect: 'damaged' };
const flat = () => sharp({ create: { width: 5_000, height: 4_000, channels: 3, background: '#357' } });
/** An image whose every pass needs all of its memory. */
const held = buildPng({ width: 6_320, height: 6_320, depth: 16, colour: 'rgba', interlaced: true });

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
    const bytes = held.subarray(0, -2_000);
    const header = await readHeader(bytes);
    await expect(runDecoderProcess('validate', bytes, { header, ...bounds })).rejects.toMatchObject(refusal);
  });

  test('a decoder process that needs more memory than it was given ends alone, and the image is refused', async () => {
    const bytes = held;
    const header = await readHeader(bytes);
    const small = { ...bounds, header, memoryBytes: 64 * MIB };
    await expect(runDecoderProcess('resize', bytes, small)).rejects.toMatchObject(refusal);
    expect(await runDecoderProcess('validate', bytes, { header, ...bounds })).toBeNull();
  });

  test('a decoder process that dies before it looks at the image refuses no image', async () => {
    const bytes = held;
    const header = await readHeader(bytes);
    const failures: AppError[] = [];
    const folder = mkdtempSync(path.join(tmpdir(), 'image-gateway-decoder-'));
    // As Node dies that gets no memory.
    const nodePath = path.join(folder, 'node');
    writeFileSync(nodePath, '#!/bin/sh\nkill -TRAP $$\n', { mode: 0o755 });
    const decode = createDecoder({ nodePath, onFailure: (error) => failures.push(error) });
    const own = {
      code: 'INTERNAL_ERROR',
      retryable: true,
      message: 'the decoder ended with SIGTRAP before it looked at the image',
    };
    await expect(decode('validate', bytes, { header })).rejects.toMatchObject(own);
    expect(failures).toEqual([expect.objectContaining(own)]);
    rmSync(folder, { recursive: true });
  });

  test('a decoder process that takes longer than it may is ended, and the image is refused', async () => {
    const bytes = held;
    const header = await readHeader(bytes);
    await expect(
      runDecoderProcess('validate', bytes, { ...bounds, header, timeoutMs: 30 }),
    ).rejects.toMatchObject({ ...refusal, cause: { message: 'the decoder was not done after 30 ms' } });
  });

  test.each([
    ['WebP', () => flat().webp()],
    ['progressive JPEG', () => flat().jpeg({ progressive: true })],
    ['interlaced PNG', () => flat().png({ progressive: true })],
  ])('a large %s is decoded within its estimate, whatever the version of Node', async (_name, encode) => {
    const bytes = await encode().toBuffer();
    const failures: AppError[] = [];
    const decode = createDecoder({ onFailure: (error) => failures.push(error) });
    const header = await readHeader(bytes);
    expect(await decode('validate', bytes, { header })).toBeNull();
    expect(await decode('resize', bytes, { header })).toMatchObject({ width: 2_048, height: 1_638 });
    expect(failures).toEqual([]);
  });

  test('a PNG with ten megabytes of text has one verdict, however often it is decoded', async () => {
    const text = pngChunk(
      'tEXt',
      Buffer.concat([Buffer.from('Comment\0'), Buffer.alloc(10_484_000 - 8, 'x')]),
    );
    const bytes = buildPng({ width: 60, height: 40, depth: 8, colour: 'rgb', chunks: [text] });
    const decode = createDecoder({ bounds: { ...DECODER_BOUNDS, threadBytes: 0 } });
    const header = await readHeader(bytes);
    const verdicts = await Promise.allSettled(
      Array.from({ length: 10 }, () => decode('validate', bytes, { header })),
    );
    expect(verdicts).toEqual(Array(10).fill({ status: 'fulfilled', value: null }));
    expect(await decode('resize', bytes, { header })).toMatchObject({ width: 60, height: 40 });
  }, 300_000);
});
