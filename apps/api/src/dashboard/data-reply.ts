import { ok } from '@image-gateway/shared/contract';
import type { Reply } from '../http/framework/call.js';

/** Answers with a payload in the envelope, for nobody to keep. */
export function dataReply(data: unknown, headers: Reply['headers'] = {}): Reply {
  return { status: 200, headers: { 'Cache-Control': 'no-store', ...headers }, json: ok(data) };
}
