import type { JsonSchema } from '../../openapi/json-schema.js';
import { count, dollars, listSchema, nullable, object, ref, text, time } from '../../openapi/parts.js';

const anyDollars = {
  ...dollars,
  pattern: '^-?\\$\\d+\\.\\d{2,6}$',
  description: 'Dollars, perhaps negative.',
};

/** A task with all that hangs on it, as operators see it: without what its owner wrote. */
export const wholeTaskSchemas: Readonly<Record<string, JsonSchema>> = {
  WholeTask: object({
    id: text,
    account_id: text,
    api_key_id: text,
    request_id: text,
    model: text,
    type: text,
    status: text,
    phase: text,
    attempt: count,
    tries: count,
    asked: count,
    stored: count,
    calls: count,
    aspect_ratio: text,
    resolution: text,
    unit_price: dollars,
    hold: dollars,
    cost: dollars,
    upstream_cost: {
      ...dollars,
      description: 'What its calls cost, at list price where a provider does not say.',
    },
    margin: { ...nullable(anyDollars), description: 'null while pending.' },
    error: nullable(text),
    worker: nullable(text),
    due_at: time,
    lease_until: nullable(time),
    deadline_at: time,
    created_at: time,
    started_at: nullable(time),
    completed_at: nullable(time),
    input_images: count,
    outputs: listSchema(
      object({
        index: count,
        key: text,
        content_type: text,
        bytes: count,
        width: count,
        height: count,
        stored_at: time,
      }),
    ),
    provider_calls: listSchema(ref('ProviderCallItem')),
    ledger: listSchema(
      object({ id: text, kind: text, amount: dollars, reason: nullable(text), created_at: time }),
    ),
    webhook: nullable(
      object({
        id: text,
        state: text,
        attempt: count,
        last_status: nullable(count),
        last_error: nullable(text),
        next_attempt_at: nullable(time),
        delivered_at: nullable(time),
        host: text,
      }),
    ),
  }),
  ProviderCallItem: object({
    id: text,
    attempt: count,
    provider: text,
    model: text,
    images_asked: count,
    state: text,
    detail: nullable(text),
    provider_request_id: nullable(text),
    cost: nullable(dollars),
    created_at: time,
    finished_at: nullable(time),
    latency_ms: nullable(count),
    key: nullable(text),
  }),
};
