import type { Reply, Route } from '../../src/http/framework/call.js';

/**
 * Compares a reply with the schema of its route, which knows all its fields. Throws an error that names the place, so that the
 * response fails.
 */
export function checkReply({ method, path, response }: Route, { status, json }: Reply): void {
  if (!response || json === undefined || status >= 300) {
    return;
  }
  const { data } = JSON.parse(JSON.stringify(json)) as { readonly data: unknown };
  const { error } = response.joi.validate(data, { convert: false, abortEarly: false });
  if (error) {
    throw new Error(`the response of ${method} ${path} is not as its schema says: ${error.message}`);
  }
}
