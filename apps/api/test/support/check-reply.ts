import type { Reply, Route } from '../../src/http/framework/call.js';

/**
 * Compares a reply with the schema of its route, which knows all its fields. Throws an error that names the place, so that the
 * response fails.
 */
export function checkReply({ method, path, response }: Route, { status, headers, json, text }: Reply): void {
  const isJson = json !== undefined || /^application\/json/.test(String(headers?.['Content-Type']));
  if (!response || !isJson || status >= 300) {
    return;
  }
  const body = JSON.parse(json === undefined ? String(text) : JSON.stringify(json)) as unknown;
  const { error } = response.joi.validate(body, { convert: false, abortEarly: false });
  if (error) {
    throw new Error(`the response of ${method} ${path} is not as its schema says: ${error.message}`);
  }
}
