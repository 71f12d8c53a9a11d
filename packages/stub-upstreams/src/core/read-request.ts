import type { IncomingMessage } from 'node:http';
import type { StubRequest } from './protocol.js';

/** Reads a whole request; rejects when the caller goes away. */
export async function readRequest(incoming: IncomingMessage): Promise<StubRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) {
    parts.push(part as Buffer);
  }
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  const origin = `http://${headers.host ?? 'localhost'}`;
  const url = new URL(incoming.url ?? '/', origin);
  return {
    method: incoming.method ?? 'GET',
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    headers,
    body: Buffer.concat(parts),
    origin,
  };
}
