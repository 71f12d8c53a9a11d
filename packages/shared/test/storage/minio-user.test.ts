import { randomUUID } from 'node:crypto';
import { createObjectStore, type ObjectStoreSettings } from '@image-gateway/shared/storage';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'minio';
import { findObjectStore } from './find-object-store.js';
import { type MinioWithUser, startMinioUser } from './start-minio-user.js';

const [minio, client] = [findObjectStore('minio'), findObjectStore('mc')];
const OTHER = 'somebody-elses';
const png = { contentType: 'image/png' };

(minio === null || client === null ? describe.skip : describe)('the user of the processes in MinIO', () => {
  let store: MinioWithUser;
  let user: Client;
  let root: Client;

  beforeAll(async () => {
    store = await startMinioUser(String(minio), String(client));
    const { hostname, port } = new URL(store.url);
    const connect = (accessKey: string, secretKey: string) =>
      new Client({ endPoint: hostname, port: Number(port), useSSL: false, accessKey, secretKey });
    user = connect(store.accessKey, store.secretKey);
    root = connect(store.root.accessKey, store.root.secretKey);
    await root.makeBucket(OTHER);
    await root.putObject(OTHER, 'images/a', 'not the gateway’s');
  });
  afterAll(() => store.stop());

  const settings = (secretKey = store.secretKey): ObjectStoreSettings => ({
    endpoint: store.url,
    region: 'us-east-1',
    bucket: store.bucket,
    accessKey: store.accessKey,
    secretKey,
  });

  test('can do with its bucket what the gateway does: put, replace, look, read, list and remove', async () => {
    const objects = createObjectStore(settings());
    await objects.ensureBucket();
    await objects.ping();
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

  test.each<[string, (bucket: string) => Promise<unknown>]>([
    ['make a bucket', () => user.makeBucket(`new-${randomUUID()}`)],
    ['remove its bucket', (bucket) => user.removeBucket(bucket)],
    ['open its bucket to the world', (bucket) => user.setBucketPolicy(bucket, publicPolicy(bucket))],
    ['read who may use its bucket', (bucket) => user.getBucketPolicy(bucket)],
    ['switch versions on', (bucket) => user.setBucketVersioning(bucket, { Status: 'Enabled' })],
    ['let objects expire', (bucket) => user.setBucketLifecycle(bucket, expiry)],
    ['read another bucket', () => user.getObject(OTHER, 'images/a')],
    ['list another bucket', () => user.listObjectsV2Query(OTHER, '', '', '', 1, '')],
    ['write to another bucket', () => user.putObject(OTHER, 'images/b', 'x')],
    ['remove from another bucket', () => user.removeObject(OTHER, 'images/a')],
  ])('may not %s', async (_what, ask) => {
    await expect(ask(store.bucket)).rejects.toMatchObject({ code: 'AccessDenied' });
  });

  test('sees no bucket but its own', async () => {
    expect((await user.listBuckets()).map(({ name }) => name)).toEqual([store.bucket]);
    expect((await root.listBuckets()).map(({ name }) => name)).toContain(OTHER);
  });

  test('has the secret of the last run of the script, and keeps its objects', async () => {
    const key = `images/${randomUUID()}`;
    await createObjectStore(settings()).put(key, Buffer.from('kept'), png);
    const secret = 'a-new-secret-of-this-test';
    store.makeUser(secret);
    expect((await createObjectStore(settings(secret)).read(key))?.toString()).toBe('kept');
    await expect(createObjectStore(settings()).read(key)).rejects.toMatchObject({ fault: 'refused' });
    store.makeUser();
  });
});

const expiry = {
  Rule: [{ ID: 'all', Status: 'Enabled', Filter: { Prefix: '' }, Expiration: { Days: 1 } }],
};

function publicPolicy(bucket: string): string {
  const statement = {
    Effect: 'Allow',
    Principal: '*',
    Action: 's3:GetObject',
    Resource: `arn:aws:s3:::${bucket}/*`,
  };
  return JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
}
