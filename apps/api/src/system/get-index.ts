import { ok } from '@image-gateway/shared/contract';
import type { Handler } from '../http/framework/call.js';

/** `GET /`: says what this is and where its documentation is. */
export function getIndex({ baseUrl }: { readonly baseUrl: string }): Handler {
  const json = ok({
    about: 'image-gateway, an HTTP API for AI image generation. Send requests to /v1 with an API key.',
    docs: `${baseUrl}/docs`,
  });
  return () => ({ status: 200, headers: { 'Cache-Control': 'no-cache' }, json });
}
