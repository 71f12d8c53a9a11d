import { readFile } from 'node:fs/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { canCreateCertificates, createCertificates } from '@image-gateway/testing';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { type Stub, startStub } from './start-stub.js';

const png = { contentType: 'image/png' };
const body = Buffer.from('body');
const patient = { timeoutMs: 25_000 };
let stub: Stub | undefined;
afterEach(() => stub?.close());

describe('connections', () => {
  test('calls one after the other share one connection', async () => {
    stub = await startStub((_, response) => response.end(), patient);
    for (let i = 0; i < 20; i += 1) {
      await stub.store.put(`a${i}`, body, png);
    }
    expect(stub.connections().made).toBe(1);
  });

  (canCreateCertificates() ? test : test.skip)(
    'uploads over TLS share connections, and so do downloads',
    async () => {
      const certificates = createCertificates();
      const before = getCACertificates('default');
      try {
        setDefaultCACertificates([await readFile(certificates.authority, 'utf8')]);
        const [cert, key] = await Promise.all([
          readFile(certificates.certificate),
          readFile(certificates.key),
        ]);
        const image = Buffer.alloc(300_000, 7);
        stub = await startStub(
          (request, response) => response.end(request.method === 'GET' ? image : undefined),
          { ...patient, tls: { cert, key } },
        );
        for (let i = 0; i < 20; i += 1) {
          expect(await stub.store.put(`a${i}`, image, png)).toBe('stored');
        }
        expect(stub.connections().made).toBe(1);
        for (let i = 0; i < 5; i += 1) {
          const stream = await stub.store.stream(`a${i}`);
          let bytes = 0;
          for await (const chunk of stream?.body ?? []) {
            bytes += (chunk as Buffer).length;
          }
          expect(bytes).toBe(image.length);
        }
        expect(stub.connections().made).toBe(2);
      } finally {
        setDefaultCACertificates(before);
        certificates.dispose();
      }
    },
  );

  test('500 calls at once use 64 connections at most', async () => {
    stub = await startStub((_, response) => response.end(), patient);
    const { store } = stub;
    await Promise.all(Array.from({ length: 500 }, (_, i) => store.put(`a${i}`, body, png)));
    expect(stub.connections().made).toBeLessThanOrEqual(64);
    expect(stub.requests).toHaveLength(500);
  });

  test('256 streams that nobody reads keep no call waiting', async () => {
    stub = await startStub((_, response) => response.end(Buffer.alloc(1_000_000)), patient);
    const { store } = stub;
    const streams = await Promise.all(Array.from({ length: 256 }, () => store.stream('a')));
    await store.put('a', body, png);
    for (const stream of streams) {
      stream?.body.destroy();
    }
  });

  test('answers that a busy server gives (503) hold no connection and print nothing', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    let busy = true;
    stub = await startStub((_, response) => {
      if (busy) {
        response.writeHead(503, { 'content-length': '5000000' }).write(Buffer.alloc(100_000));
      } else {
        response.end();
      }
    }, patient);
    const { store } = stub;
    for (let i = 0; i < 3; i += 1) {
      const puts = await Promise.allSettled(Array.from({ length: 64 }, () => store.put('a', body, png)));
      expect(puts.every(({ status }) => status === 'rejected')).toBe(true);
    }
    busy = false;
    expect(await store.put('a', body, png)).toBe('stored');
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  test('a kept connection that the server closes just then is replaced without an error', async () => {
    const used = new Set<unknown>();
    stub = await startStub((request, response) => {
      // The second request on a connection meets its end.
      if (used.has(request.socket)) {
        request.socket.destroy();
      } else {
        response.end();
      }
      used.add(request.socket);
    });
    for (let i = 0; i < 6; i += 1) {
      expect(await stub.store.put(`a${i}`, body, png)).toBe('stored');
    }
  });

  test('a server that closes every connection is an error after one further try', async () => {
    stub = await startStub((request) => request.socket.destroy());
    await expect(stub.store.put('a', body, png)).rejects.toMatchObject({
      fault: 'unreachable',
      retryable: true,
    });
    expect(stub.requests.length).toBeLessThanOrEqual(2);
  });
});
