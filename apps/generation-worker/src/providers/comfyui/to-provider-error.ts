import { ProviderError, type ProviderFailure } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { judgeResponse, parseRetryAfter, quoteUpstream } from '../http/error-response.js';
import { ANY, list, loose, needed, readLoosely, TEXT } from '../http/read-shape.js';
import type { ProviderKey } from '../port.js';

// Statuses that speak of our workflow, of the server or of its proxy: another path, a limit for uploads.
const DRIFT_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 413]);
const MODERATION = /\b(nsfw|moderat\w*|content polic(y|ies)|safety (checker|system))\b/i;

const bodySchema = loose({ error: loose({ type: TEXT, message: TEXT }), node_errors: loose({}) });
const nodeSchema = loose({
  errors: list(needed({ type: TEXT, details: TEXT, extra_info: loose({ received_value: ANY }) })),
});
const eventSchema = loose({ exception_type: TEXT, node_type: TEXT, exception_message: TEXT });

/** Response that is no success, and to which request. */
export interface RefusedCall {
  readonly response: UpstreamResponse;
  readonly call: 'submission' | 'upload' | 'poll' | 'cancellation';
  readonly key: ProviderKey | null;
  /** Model of the route. */
  readonly model?: string;
}

/** Converts a response that is no success. */
export function toProviderError({
  response: { status, headers, json },
  call,
  key,
  model,
}: RefusedCall): ProviderError {
  const { error, node_errors: nodes } = readLoosely(bodySchema, json?.value);
  const errors = Object.values(nodes).flatMap((node) => readLoosely(nodeSchema, node).errors);
  const details = errors.map((one) => one.details);
  const text = [error.type, error.message, ...details].filter((part) => part !== '');
  // A list of files on the server lacks the model.
  const isUnknownModel = errors.some(
    (one) => one.type === 'value_not_in_list' && one.extra_info.received_value === model,
  );
  const failure =
    model !== undefined && isUnknownModel
      ? 'model-gone'
      : DRIFT_STATUSES.has(status)
        ? 'config-drift'
        : judgeResponse(status, { text: text.join(' ') });
  return new ProviderError(
    failure,
    `ComfyUI answered ${status} to a ${call}: ${quoteUpstream(text.join(', '), key)}`,
    { retryAfterMs: parseRetryAfter(headers) },
  );
}

/** Converts the status of a workflow that failed: its last message says at which node and why. */
export function toRunError(messages: unknown, upstreamId: string): ProviderError {
  const given: readonly unknown[] = Array.isArray(messages) ? messages : [];
  // Each one is a name with its facts.
  const events = given.map((one): readonly unknown[] => (Array.isArray(one) ? one : []));
  const error = events.find(([name]) => name === 'execution_error');
  if (error === undefined && events.some(([name]) => name === 'execution_interrupted')) {
    return new ProviderError('canceled', 'the workflow was interrupted', { upstreamId });
  }
  const event = readLoosely(eventSchema, error?.[1]);
  const { node_type: node, exception_type: kind, exception_message: message } = event;
  const text = quoteUpstream([node, kind, message].filter((part) => part !== '').join(': '), null);
  return new ProviderError(getRunFailure(kind, message), `the workflow failed: ${text}`, { upstreamId });
}

function getRunFailure(kind: string, message: string): ProviderFailure {
  if (/OutOfMemory/.test(kind)) {
    return 'overload';
  }
  if (/UnidentifiedImageError/.test(kind)) {
    return 'doubtful-input';
  }
  return MODERATION.test(message) ? 'moderation' : 'upstream-error';
}
