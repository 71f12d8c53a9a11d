import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Stub, startStub } from '../../../../packages/shared/test/storage/start-stub.js';
import { checkStorage } from '../../src/doctor/check-storage.js';

let stub: Stub | undefined;
afterEach(() => stub?.close());

interface Kept {
  type: string;
  probe: string;
}

/** A store of one object that keeps no bytes, with faults to choose from. */
function answers({ ignoresCondition = false, isPublic = false } = {}) {
  let kept: Kept | null = null;
  return (request: IncomingMessage, response: ServerResponse) => {
    const signed = request.headers.authorization !== undefined;
    if (!signed && !isPublic) {
      return void response.writeHead(403).end();
    }
    if (request.method === 'PUT') {
      const conditional = request.headers['if-none-match'] === '*';
      if (kept && conditional && !ignoresCondition) {
        return void response.writeHead(412).end();
      }
      kept = {
        type: String(request.headers['content-type']),
        probe: String(request.headers['x-amz-meta-probe']),
      };
      return void response.end();
    }
    if (request.method === 'POST') {
      kept = null;
      return void response.end('<DeleteResult></DeleteResult>');
    }
    if (request.url?.includes('list-type')) {
      return void response.end('<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>');
    }
    if (!kept) {
      return void response.writeHead(404).end();
    }
    const headers = { 'content-type': kept.type, 'x-amz-meta-probe': kept.probe, 'content-length': 0 };
    return void response.writeHead(200, headers).end();
  };
}

const findFaults = async (answer: ReturnType<typeof answers>, { publicRead = false } = {}) => {
  stub = await startStub(answer);
  return (await checkStorage(stub.settings, { publicRead })).filter(({ level }) => level === 'fault');
};
const part = 'object store';

describe('the check of the object store reports', () => {
  test('a full store, with what to do', async () => {
    const faults = await findFaults((request, response) =>
      request.method === 'PUT' ? void response.writeHead(507).end() : answers()(request, response),
    );
    expect(faults).toContainEqual(
      expect.objectContaining({ part, remediation: 'free or add disk at the object store' }),
    );
  });

  test('a store that ignores If-None-Match', async () => {
    const faults = await findFaults(answers({ ignoresCondition: true }));
    expect(faults).toContainEqual({
      part,
      level: 'fault',
      observed: expect.stringContaining('ignores If-None-Match'),
      remediation: expect.stringContaining('conditional writes'),
    });
  });

  test('a store that gives back other bytes', async () => {
    expect(await findFaults(answers())).toEqual([
      {
        part,
        level: 'fault',
        observed: expect.stringContaining('does not keep the bytes'),
        remediation: 'use another object store',
      },
    ]);
  });

  test('a public bucket, its reading and its listing', async () => {
    const faults = await findFaults(answers({ isPublic: true }));
    expect(faults.map(({ observed }) => observed)).toEqual(
      expect.arrayContaining(['anybody can read the objects of the bucket', 'anybody can list the bucket']),
    );
  });

  test('where images are served from the bucket, only the listing of a public bucket', async () => {
    const faults = await findFaults(answers({ isPublic: true }), { publicRead: true });
    const observed = faults.map((fault) => fault.observed);
    expect(observed).toContain('anybody can list the bucket');
    expect(observed).not.toContain('anybody can read the objects of the bucket');
  });

  test.each([
    ['no process listens', { endpoint: 'http://127.0.0.1:1' }, 'S3_ENDPOINT'],
    ['the host is unknown', { endpoint: 'http://object-store.invalid:9000' }, 'S3_ENDPOINT'],
    ['the bucket has a name that none can have', { bucket: 'x' }, 'S3_BUCKET'],
  ])('%s: one fault that names the setting', async (_, over, setting) => {
    const settings = { endpoint: 'http://127.0.0.1:1', region: 'r', bucket: 'images' };
    const keys = { accessKey: 'a', secretKey: 's', timeoutMs: 1_000 };
    expect(await checkStorage({ ...settings, ...keys, ...over }, { publicRead: false })).toEqual([
      { part, level: 'fault', observed: expect.any(String), remediation: expect.stringContaining(setting) },
    ]);
  });

  test.each([
    ['InvalidAccessKeyId', 403, 'S3_ACCESS_KEY'],
    ['SignatureDoesNotMatch', 403, 'S3_SECRET_KEY'],
    ['RequestTimeTooSkewed', 403, 'clock'],
    ['NoSuchBucket', 404, 'create the bucket'],
    ['AccessDenied', 403, 'list, read, write and delete'],
  ])('%s: its remediation', async (code, status, remediation) => {
    stub = await startStub((_, response) =>
      response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`),
    );
    expect(await checkStorage(stub.settings, { publicRead: false })).toEqual([
      {
        part,
        level: 'fault',
        observed: expect.stringContaining('ping'),
        remediation: expect.stringContaining(remediation),
      },
    ]);
  });
});
