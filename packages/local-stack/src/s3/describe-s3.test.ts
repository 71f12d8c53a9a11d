import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { StackError } from '../stack-error.js';
import { describeS3 } from './describe-s3.js';
import { findMinio } from './server-commands.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'describe-s3-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const program = (name: string, mode: number) => {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n', { mode });
  return file;
};
const options = (minio: string | null) => ({
  folder,
  port: 9_999,
  bucket: 'images',
  accessKey: 'an-access-key',
  secretKey: 'a-secret-key',
  durable: true,
  minio,
});

describe('the choice of the server', () => {
  test('MINIO_BIN comes before a minio on PATH, and without both there is none', () => {
    const onPath = program('bin/minio', 0o755);
    const named = program('other', 0o755);
    const PATH = `/nowhere:${path.dirname(onPath)}`;
    expect(findMinio({ PATH, MINIO_BIN: named })).toBe(named);
    expect(findMinio({ PATH })).toBe(onPath);
    expect(findMinio({ PATH: '/nowhere' })).toBeNull();
    expect(findMinio({})).toBeNull();
  });

  test('a minio on PATH that cannot be run is passed over, a MINIO_BIN that cannot is an error', () => {
    const PATH = path.dirname(program('bin/minio', 0o644));
    expect(findMinio({ PATH })).toBeNull();
    expect(() => findMinio({ MINIO_BIN: path.join(PATH, 'minio') })).toThrow(StackError);
  });

  test('no key of either server stands among its arguments', async () => {
    for (const minio of [null, program('bin/minio', 0o755)]) {
      const { args, env } = await describeS3(options(minio)).command();
      expect(args.join(' ')).not.toMatch(/an-access-key|a-secret-key/);
      expect(Object.values(env)).toEqual(expect.arrayContaining(['an-access-key', 'a-secret-key']));
    }
  });

  test('a switch from one server to the other prints once where the earlier images are', async () => {
    const minio = program('bin/minio', 0o755);
    expect(describeS3(options(null)).note).toBeNull();
    await describeS3(options(null)).command();
    expect(describeS3(options(null)).note).toBeNull();
    const switched = describeS3(options(minio));
    expect(switched.note).toContain(path.join(folder, 'embedded'));
    await switched.command();
    expect(describeS3(options(minio)).note).toBeNull();
  });
});
