import { type Envelope, ok } from '@image-gateway/shared/contract';
import type { Reply } from '../framework/call.js';

/** Wraps a payload in the envelope, with headers that forbid caching. */
export function dataReply<T>(data: T, headers: Reply['headers'] = {}): Reply<Envelope<T>> {
  return { status: 200, headers: { 'Cache-Control': 'no-store', ...headers }, json: ok(data) };
}
