import { ok } from '@image-gateway/shared/contract';
import type { Handler } from '../http/framework/call.js';

/** `GET /healthz`: the process is alive. */
export function healthz(): Handler {
  return () => ({ status: 200, headers: { 'Cache-Control': 'no-store' }, json: ok({ status: 'ok' }) });
}
