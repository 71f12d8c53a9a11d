import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createObjectStore, type ObjectStoreSettings } from '@image-gateway/shared/storage';
import { repositoryRoot } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'minio';
import type { RunningStore } from './conformance/running-store.js';
import { findObjectStore } from './find-object-store.js';
import { startVersitygw } from './start-versitygw.js';

const versitygw = findObjectStore('versitygw');
const BUCKET = 'of-the-gateway';
const png = { contentType: 'image/png' };

(versitygw === null ? describe.skip : describe)('the user of the processes in versitygw', () => {
  const accessKey = randomBytes(24).toString('hex');
  const secretKey = randomBytes(24).toString('hex');
  let store: RunningStore;
  let user: Client;

  const makeUser = (secret = secretKey, env = {}) =>
    spawnSync('/bin/sh', [path.join(repositoryRoot(), 'docker/store-user.sh')], {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        VERSITYGW_BIN: versitygw ?? '',
        S3_ENDPOINT: store.url,
        S3_BUCKET: BUCKET,
        S3_ACCESS_KEY: accessKey,
        S3_SECRET_KEY: secret,
        ROOT_ACCESS_KEY: store.accessKey,
        ROOT_SECRET_KEY: store.secretKey,
        ...env,
      },
    });
  const settings = (secret = secretKey): ObjectStoreSettings => ({
    endpoint: store.url,
    region: 'us-east-1',
    bucket: BUCKET,
    accessKey,
    secretKey: secret,
  });

  beforeAll(async () => {
    store = await startVersitygw(String(versitygw), { hasUsers: true });
    const { status, stdout, stderr } = makeUser();
    expect([status, stdout, stderr]).toEqual([0, expect.any(String), expect.any(String)]);
    const { hostname, port } = new URL(store.url);
    user = new Client({ endPoint: hostname, port: Number(port), useSSL: false, accessKey, secretKey });
  });
  afterAll(() => store.stop());

  test('can do with its bucket what the gateway does: put, replace, look, read, list and remove', async () => {
    const objects = createObjectStore(settings());
    await objects.ensureBucket();
    const key = `images/${randomUUID()}`;
    expect(await objects.put(key, Buffer.from('one'), png)).toBe('stored');
    expect(await objects.put(key, Buffer.from('two'), png)).toBe('exists');
    await objects.replace(key, Buffer.from('three'), png);
    expect((await objects.stat(key))?.bytes).toBe(5);
    expect((await objects.read(key))?.toString()).toBe('three');
    expect(await objects.list(key)).toEqual([key]);
    await objects.remove([key]);
    expect(await objects.stat(key)).toBeNull();
    objects.close();
  });

  test.each<[string, () => Promise<unknown>]>([
    ['make a bucket', () => user.makeBucket(`new-${randomUUID()}`)],
    ['list the bucket of another', () => user.listObjectsV2Query(store.bucket, '', '', '', 1, '')],
    ['write to the bucket of another', () => user.putObject(store.bucket, 'images/b', 'x')],
    ['remove from the bucket of another', () => user.removeObject(store.bucket, 'images/a')],
  ])('may not %s', async (_what, ask) => {
    await expect(ask()).rejects.toMatchObject({ code: 'AccessDenied' });
  });

  test('has the secret of the last run of the script, and keeps its objects', async () => {
    const key = `images/${randomUUID()}`;
    await createObjectStore(settings()).put(key, Buffer.from('kept'), png);
    const secret = 'a-new-secret-of-this-test';
    expect(makeUser(secret).status).toBe(0);
    expect((await createObjectStore(settings(secret)).read(key))?.toString()).toBe('kept');
    await expect(createObjectStore(settings()).read(key)).rejects.toMatchObject({ fault: 'refused' });
    expect(makeUser().status).toBe(0);
  });

  test('is not made beside images that an earlier release kept in MinIO', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minio-data-'));
    fs.mkdirSync(path.join(folder, '.minio.sys'));
    const { status, stderr } = makeUser(secretKey, { MINIO_DATA: folder });
    expect(status).toBe(1);
    expect(stderr).toContain('docker/compose.minio.yaml');
    fs.rmSync(folder, { recursive: true });
  });
});
