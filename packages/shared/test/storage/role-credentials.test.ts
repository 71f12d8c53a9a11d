import { createObjectStore } from '@image-gateway/shared/storage';
import { type Receiver, startReceiver } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Stub, startStub } from './start-stub.js';

let stub: Stub;
let metadata: Receiver;
let asked: number;
let answer: { status: number; expiresInMs: number };

beforeEach(async () => {
  asked = 0;
  answer = { status: 200, expiresInMs: 3_600_000 };
  stub = await startStub((_, response) => response.end());
  // ECS and EKS Pod Identity have such a service beside a container.
  metadata = await startReceiver((response) => {
    asked += 1;
    const credentials = {
      AccessKeyId: `ROLE${asked}`,
      SecretAccessKey: 'secret',
      Token: `token-${asked}`,
      Expiration: new Date(Date.now() + answer.expiresInMs).toISOString(),
    };
    response.writeHead(answer.status).end(JSON.stringify(credentials));
  });
  process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${metadata.url}/credentials`;
});
afterEach(async () => {
  delete process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI;
  await Promise.all([stub.close(), metadata.close()]);
});

const open = () =>
  createObjectStore({
    ...stub.settings,
    credentials: 'role',
    accessKey: '',
    secretKey: '',
    timeoutMs: 2_000,
  });
const put = (store: ReturnType<typeof open>, key: string) =>
  store.put(key, Buffer.from('body'), { contentType: 'image/png' });

describe('credentials of a role', () => {
  test('credentials of a role sign each request, with their token, and are fetched once for many', async () => {
    const store = open();
    await Promise.all(['a', 'b', 'c', 'd'].map((key) => put(store, key)));
    await put(store, 'e');
    store.close();
    expect(asked).toBe(1);
    expect(stub.requests).toHaveLength(5);
    for (const { headers } of stub.requests) {
      expect(headers.authorization).toMatch(/Credential=ROLE1\/.*SignedHeaders=[^,]*x-amz-security-token/);
      expect(headers['x-amz-security-token']).toBe('token-1');
    }
  });

  test('credentials of a role are renewed when they are about to expire', async () => {
    answer.expiresInMs = 1_000;
    const store = open();
    await put(store, 'a');
    await put(store, 'b');
    store.close();
    expect(stub.requests.map(({ headers }) => headers['x-amz-security-token'])).toEqual([
      'token-1',
      'token-2',
    ]);
  });

  test('credentials of a role that are not to be had are a refusal that says so, and are asked for again', async () => {
    answer.status = 500;
    const store = open();
    await expect(put(store, 'a')).rejects.toMatchObject({
      fault: 'refused',
      message: expect.stringContaining('the role of this machine has no credentials'),
      retryable: true,
    });
    answer.status = 200;
    expect(await put(store, 'a')).toBe('stored');
    store.close();
  });
});
