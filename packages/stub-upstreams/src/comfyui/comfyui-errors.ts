import type { Behaviour, Refusal } from '../core/behaviour.js';
import { getRetryAfterSeconds } from '../core/get-retry-after-seconds.js';
import type { StubCall } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';
import { graphError } from './check-graph.js';

/** How the server or the proxy in front of it refuses a request; only the proxy has keys, limits and a queue that is full. */
export function comfyuiRefusal(refusal: Refusal, call: StubCall, behaviour: Behaviour): StubResponse {
  switch (refusal) {
    case 'overload':
      return proxyPage(503, 'Service Unavailable');
    case 'rate-limit':
      return {
        ...proxyPage(429, 'Too Many Requests'),
        headers: { 'content-type': 'text/html', 'retry-after': String(getRetryAfterSeconds(behaviour)) },
      };
    case 'auth':
      return comfyuiWrongKey();
    case 'quota':
    case 'billing':
      return proxyPage(402, 'Payment Required');
    case 'model-gone': {
      const received_value = call.model ?? '';
      const error = {
        type: 'value_not_in_list',
        message: 'Value not in list',
        details: `ckpt_name: '${received_value}' not in []`,
        extra_info: { input_name: 'ckpt_name', received_value },
      };
      return graphError('prompt_outputs_failed_validation', 'Prompt outputs failed validation', {
        4: { errors: [error], dependent_outputs: ['9'], class_type: 'CheckpointLoaderSimple' },
      });
    }
    case 'geo':
      return proxyPage(403, 'This service is not available in your region.');
    case 'server-error':
      return {
        status: 500,
        headers: { 'content-type': 'text/plain' },
        body: Buffer.from('500: Internal Server Error'),
      };
    case 'timeout':
      return proxyPage(504, 'Gateway Time-out');
  }
}

/** Answer of a proxy to a key that it does not know, or to none. */
export function comfyuiWrongKey(): StubResponse {
  return proxyPage(401, 'Authorization Required');
}

/** Page of a proxy, which is no JSON. */
function proxyPage(status: number, title: string): StubResponse {
  const body = Buffer.from(`<html><body>${status} ${title}</body></html>`);
  return { status, headers: { 'content-type': 'text/html' }, body };
}
