import type { Outbound } from '@image-gateway/shared/outbound';
import { expect, test } from '@jest/globals';
import { createUpstream } from './create-upstream.js';

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** Calls an upstream with this base URL, and returns the headers that it gets. */
async function call(baseUrl: string, traceparent: string | null): Promise<unknown> {
  let headers: unknown;
  const request: Outbound['request'] = (sent) => {
    headers = sent.headers;
    return Promise.resolve({ status: 200, headers: {}, bytes: Buffer.alloc(0) });
  };
  const fetchBytes: Outbound['fetchBytes'] = () => Promise.reject(new Error('nothing is downloaded'));
  const upstream = createUpstream({ outbound: { request, fetchBytes } }, { baseUrl, resultHosts: [] });
  const given = { method: 'POST', path: '/x', headers: { a: '1' }, timeoutMs: 1_000, isPaid: true } as const;
  await upstream.call(given, { signal: new AbortController().signal, traceparent });
  return headers;
}

test("a call to a server of the operator's own network continues the trace of its task, one to a vendor does not", async () => {
  expect(await call('http://10.0.0.5:8000/v1', TRACE)).toEqual({ a: '1', traceparent: TRACE });
  expect(await call('http://comfy:8188', TRACE)).toEqual({ a: '1', traceparent: TRACE });
  expect(await call('http://comfy:8188', null)).toEqual({ a: '1' });
  expect(await call('https://api.openai.com/v1', TRACE)).toEqual({ a: '1' });
});
