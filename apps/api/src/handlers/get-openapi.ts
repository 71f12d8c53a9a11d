import type { Handler } from '../http/framework/call.js';

/** `GET /v1/openapi.json`: the document itself, without the envelope, so that tools can read it. */
export function getOpenapi(document: object): Handler {
  const text = JSON.stringify(document);
  return () => ({
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'public, max-age=300' },
    text,
  });
}
