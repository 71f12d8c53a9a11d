import { ProviderError, type ProviderFailure } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { getFailureByStatus, parseRetryAfter, quoteUpstream } from '../http/error-response.js';
import { asRecord, asRecords, asText } from '../http/json-decoder.js';
import type { ProviderKey } from '../port.js';

// Statuses that speak of our workflow, of the server or of its proxy: another path, a limit for uploads.
const DRIFT_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 413]);
const MODERATION = /\b(nsfw|moderat\w*|content polic(y|ies)|safety (checker|system))\b/i;

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
  const errors = readNodeErrors(json?.value);
  const { type, message } = asRecord(asRecord(json?.value)?.error) ?? {};
  const details = errors.map(({ details: one }) => asText(one));
  const text = [type, message, ...details].map(asText).filter((part) => part !== '');
  const failure =
    model !== undefined && errors.some((error) => isUnknownModel(error, model))
      ? 'model-gone'
      : DRIFT_STATUSES.has(status)
        ? 'config-drift'
        : getFailureByStatus(status, text.join(' '));
  return new ProviderError(
    failure,
    `ComfyUI answered ${status} to a ${call}: ${quoteUpstream(text.join(', '), key)}`,
    { retryAfterMs: parseRetryAfter(headers) },
  );
}

/** Converts the status of a workflow that failed: its last message says at which node and why. */
export function toRunError(messages: unknown, upstreamId: string): ProviderError {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const events = list.flatMap((one): (readonly [string, Readonly<Record<string, unknown>>])[] =>
    Array.isArray(one) ? [[asText(one[0]), asRecord(one[1]) ?? {}]] : [],
  );
  const error = events.find(([name]) => name === 'execution_error')?.[1];
  if (error === undefined && events.some(([name]) => name === 'execution_interrupted')) {
    return new ProviderError('canceled', 'the workflow was interrupted', { upstreamId });
  }
  const [kind, node, message] = [error?.exception_type, error?.node_type, error?.exception_message].map(
    asText,
  );
  const text = quoteUpstream([node, kind, message].filter((part) => part !== '').join(': '), null);
  return new ProviderError(getRunFailure(kind ?? '', message ?? ''), `the workflow failed: ${text}`, {
    upstreamId,
  });
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

function readNodeErrors(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  const nodes = asRecord(asRecord(value)?.node_errors) ?? {};
  return Object.values(nodes).flatMap((node) => asRecords(asRecord(node)?.errors));
}

/** A list of files on the server lacks the model. */
function isUnknownModel({ type, extra_info }: Readonly<Record<string, unknown>>, model: string): boolean {
  return type === 'value_not_in_list' && asRecord(extra_info)?.received_value === model;
}
