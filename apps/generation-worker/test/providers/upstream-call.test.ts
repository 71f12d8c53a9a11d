import { afterEach, describe, expect, test } from '@jest/globals';
import type { UpstreamRequest, UpstreamResponse } from '../../src/providers/http/create-upstream.js';
import { freeScope } from './support/collect-events.js';
import { FAULTS, type Fault, type Hostile, startHostile } from './support/start-hostile.js';
import { upstreamAt } from './support/upstream-at.js';

const PATIENT_MS = 20_000;
const SHORT_MS = 1_000;
const HUGE = Buffer.alloc(64 * 1024, ' ');
const request: UpstreamRequest = {
  method: 'POST',
  path: '/draw?x=1',
  headers: { 'x-key': 'k' },
  isPaid: true,
  timeoutMs: PATIENT_MS,
  body: Buffer.from('{}'),
};

let server: Hostile | undefined;
afterEach(() => server?.close());

const withStatus =
  (status: number, end: 'cut' | 'silent' | 'endless'): Fault =>
  (outgoing) => {
    const announced = end === 'endless' ? 200 * 1024 * 1024 : 1_000;
    outgoing.writeHead(status, { 'content-type': 'application/json', 'content-length': announced });
    outgoing.write(end === 'endless' ? HUGE : '{"error":', () => {
      if (end === 'cut') {
        outgoing.socket?.resetAndDestroy();
      }
    });
  };

async function call(
  fault: Fault | undefined,
  changes: Partial<UpstreamRequest> = {},
  scope = freeScope(),
): Promise<UpstreamResponse> {
  server = await startHostile(() => ({ body: { fine: true }, fault }));
  return upstreamAt('replicate', server.url).call({ ...request, ...changes }, scope);
}

describe('upstream call', () => {
  test('a call to a provider goes to the path below its address, with its headers and its body, and gives the answer', async () => {
    const answer = await call(undefined);
    expect(answer).toMatchObject({ status: 200, json: { value: { fine: true } } });
    expect(server?.asked[0]?.[0]).toBe('POST /v1/draw?x=1');
  });

  test.each([302, 400, 401, 404, 429, 500, 503])(
    'a call to a provider gives the answer whatever its status: %d',
    async (status) => {
      const {
        status: got,
        headers,
        json,
      } = await call((outgoing, body) => {
        outgoing.writeHead(status, { 'Retry-After': '7', location: '/elsewhere' }).end(body);
      });
      expect([got, headers['retry-after'], json?.value]).toEqual([status, '7', { fine: true }]);
      expect(server?.asked).toHaveLength(1);
    },
  );

  test('a call to a provider that reaches nobody is known to have done nothing, paid or not', async () => {
    server = await startHostile(() => ({ body: null }));
    const { url, close } = server;
    await close();
    for (const isPaid of [true, false]) {
      await expect(
        upstreamAt('replicate', url).call({ ...request, isPaid }, freeScope()),
      ).rejects.toMatchObject({
        failure: 'transport',
      });
    }
  });

  test.each([
    ['reset before the answer', FAULTS['reset before the answer']],
    ['silence', FAULTS['no answer']],
    ['an answer that drips', FAULTS['an answer that drips']],
  ])(
    'a call to a provider may have been billed when it was paid, and is only tried again when it was not: %s',
    async (_, fault) => {
      const timeoutMs = fault === FAULTS['reset before the answer'] ? PATIENT_MS : SHORT_MS;
      await expect(call(fault, { timeoutMs })).rejects.toMatchObject({ failure: 'unknown' });
      await server?.close();
      await expect(call(fault, { timeoutMs, isPaid: false })).rejects.toMatchObject({ failure: 'transport' });
    },
  );

  test.each([
    ['cut', withStatus(200, 'cut')],
    ['far too large', FAULTS['a body of 200 MB']],
    ['far too large, without saying so', FAULTS['a body of 200 MB that is not announced']],
    ['a redirect that is cut', withStatus(302, 'cut')],
  ])('a call to a provider is answered badly when a good answer is %s', async (_, fault) => {
    await expect(call(fault)).rejects.toMatchObject({ failure: 'bad-response' });
  });

  test.each(['cut', 'silent', 'endless'] as const)(
    'a call to a provider is the error of its status when its text is %s',
    async (end) => {
      for (const status of [400, 429, 500]) {
        const answer = await call(withStatus(status, end), {
          timeoutMs: end === 'silent' ? SHORT_MS : PATIENT_MS,
        });
        expect(answer).toEqual({ status, headers: {}, json: null });
        await server?.close();
      }
    },
  );

  test.each([
    ['HTML', FAULTS.HTML],
    ['nothing', FAULTS['nothing in a good answer']],
  ])('a call to a provider has no JSON when the answer is none: %s', async (_, fault) => {
    expect(await call(fault)).toMatchObject({ status: 200, json: null });
  });

  test('a call to a provider understands an answer that is packed, although nobody asked for that', async () => {
    expect(await call(FAULTS['a packed body that nobody asked for'])).toMatchObject({
      status: 200,
      json: { value: { fine: true } },
    });
  });

  test('a call to a provider ends when it is ended', async () => {
    const controller = new AbortController();
    const ended = call(FAULTS['no answer'], {}, { ...freeScope(), signal: controller.signal });
    controller.abort();
    await expect(ended).rejects.toThrow('aborted');
  });
});
