import type { Behaviour, Refusal } from '../core/behaviour.js';
import type { Violation } from '../core/check-fields.js';
import { getRetryAfterSeconds } from '../core/get-retry-after-seconds.js';
import type { StubCall } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';

/** An error as the handler of exceptions in modules/api/api.py writes it. */
export function sdapiError(status: number, error: string, detail: string, errors = ''): StubResponse {
  return { status, body: { error, detail, body: '', errors } };
}

/** Answer to a user or a key that it does not know (`--api-auth`). */
export function sdapiWrongKey(): StubResponse {
  return sdapiError(401, 'HTTPException', 'Incorrect username or password');
}

/** FastAPI's answer to invalid fields. */
export function sdapiViolations(violations: readonly Violation[]): StubResponse {
  return {
    status: 422,
    body: {
      detail: violations.map(({ path, fault }) => ({
        loc: ['body', ...path],
        msg: fault === 'missing' ? 'field required' : 'value is not valid',
        type: fault === 'missing' ? 'value_error.missing' : `type_error.${fault}`,
      })),
    },
  };
}

/** How the server, or the proxy in front of it, refuses a request; only the proxy has limits, prices and regions. */
export function sdapiRefusal(refusal: Refusal, _call: StubCall, behaviour: Behaviour): StubResponse {
  switch (refusal) {
    case 'overload':
      return page(503, 'Service Unavailable');
    case 'rate-limit':
      return page(429, 'Too Many Requests', { 'retry-after': String(getRetryAfterSeconds(behaviour)) });
    case 'auth':
      return sdapiWrongKey();
    case 'quota':
    case 'billing':
      return page(402, 'Payment Required');
    case 'model-gone':
      return drawnWithAnother();
    case 'geo':
      return page(403, 'Forbidden');
    case 'server-error':
      return sdapiError(500, 'OutOfMemoryError', '', 'CUDA out of memory. Tried to allocate 9.00 GiB.');
    case 'timeout':
      return page(504, 'Gateway Time-out');
  }
}

/** Answer to a checkpoint that it does not have: `process_images` keeps the loaded one, without an error. */
function drawnWithAnother(): StubResponse {
  const info = JSON.stringify({ all_seeds: [1], sd_model_name: 'v1-5-pruned-emaonly' });
  return { status: 200, body: { images: ['iVBORw0KGgo='], parameters: {}, info } };
}

function page(status: number, title: string, headers: Readonly<Record<string, string>> = {}): StubResponse {
  const body = Buffer.from(`<html><body>${status} ${title}</body></html>`);
  return { status, headers: { 'content-type': 'text/html', ...headers }, body };
}
