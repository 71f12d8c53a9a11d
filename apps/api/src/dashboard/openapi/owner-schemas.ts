import type { JsonSchema } from '../../openapi/json-schema.js';
import { count, dollars, listSchema, nullable, object, ref, text, time } from '../../openapi/parts.js';
import { optionalTaskFields, responseSchemas, taskFields } from '../../openapi/schemas.js';

const day = { type: 'string', format: 'date', description: 'Such as `2026-01-31` (UTC).' };
const yesOrNo = { type: 'boolean' };
const status = { ...count, description: 'HTTP status of the answer; null when there was none.' };

const taskItem = {
  ...taskFields,
  prompt: text,
  num_outputs: { type: 'integer', minimum: 1 },
};

/** What the pages of owners, and those of everybody, are told. */
export const ownerSchemas: Readonly<Record<string, JsonSchema>> = {
  Pagination: responseSchemas.Pagination ?? {},
  DashboardUser: object({
    id: text,
    email: text,
    role: { ...text, enum: ['owner', 'operator'], description: 'Owns one account, or operates the gateway.' },
  }),
  DashboardSession: object({
    user: nullable(ref('DashboardUser')),
    account: {
      ...nullable(object({ id: text, status: { ...text, enum: ['active', 'suspended'] } })),
      description: "The owner's account; null for operators and for nobody.",
    },
    allow_signup: { ...yesOrNo, description: 'Whether visitors may make an account.' },
    base_url: { ...text, description: 'What clients put before `/v1`.' },
    file_url: { ...text, description: 'What result URLs begin with.' },
  }),
  SessionItem: object({
    id: text,
    is_current: yesOrNo,
    ip_address: nullable(text),
    user_agent: nullable(text),
    created_at: time,
    expires_at: time,
  }),
  TaskItem: object(taskItem, optionalTaskFields),
  SpendDay: object({ day, cost: dollars, units: count }),
  OverviewView: object({
    balance: dollars,
    held: dollars,
    available: dollars,
    open_tasks: count,
    active_keys: count,
    days: {
      ...listSchema(ref('SpendDay')),
      description: 'The last thirty days, oldest first, days without usage included.',
    },
    spent: dollars,
    completed: { ...count, description: 'Tasks of the last thirty days that ended so.' },
    failed: count,
    last_tasks: listSchema(ref('TaskItem')),
  }),
  KeyItem: object({
    id: text,
    name: text,
    prefix: text,
    created_at: time,
    last_used_at: nullable(time),
    expires_at: nullable(time),
    revoked_at: nullable(time),
  }),
  NewKeyView: object({ id: text, prefix: text, key: { ...text, description: 'Shown this once.' } }),
  PlaygroundView: object({
    models: listSchema(
      object({
        id: text,
        prices: {
          type: 'object',
          additionalProperties: dollars,
          description: 'Of one image, by resolution.',
        },
      }),
    ),
    aspect_ratios: listSchema(text),
    resolutions: listSchema(text),
    limits: object({
      prompt_characters: count,
      negative_prompt_characters: count,
      outputs: count,
      input_images: count,
    }),
  }),
  TaskOutputView: object({
    index: count,
    url: text,
    content_type: text,
    bytes: count,
    width: count,
    height: count,
    stored_at: time,
  }),
  TaskDetail: object(
    {
      ...taskItem,
      phase: { ...text, enum: ['queued', 'running', 'done'] },
      negative_prompt: nullable(text),
      aspect_ratio: text,
      resolution: text,
      image_urls: listSchema(text),
      webhook_url: nullable(text),
      api_key: object({ id: text, name: nullable(text) }),
      request_id: text,
      unit_price: dollars,
      held: dollars,
      refunded: nullable(dollars),
      deadline_at: time,
      outputs: listSchema(ref('TaskOutputView')),
      delivery: nullable(ref('DeliveryItem')),
    },
    optionalTaskFields,
  ),
  UsageDay: object({ day, model: text, units: count, requests: count, cost: dollars }),
  UsageView: object({
    from: day,
    to: { ...day, description: 'Inclusive.' },
    days: listSchema(ref('UsageDay')),
    units: count,
    requests: count,
    charged: dollars,
    refunded: dollars,
  }),
  DeliveryAttempt: object({
    attempt: count,
    status: nullable(status),
    error: nullable(text),
    ended_at: time,
  }),
  DeliveryItem: object({
    id: text,
    task_id: text,
    url: text,
    state: { ...text, enum: ['pending', 'sending', 'delivered', 'failed'] },
    attempt: count,
    last_status: nullable(status),
    last_error: nullable(text),
    next_attempt_at: nullable(time),
    delivered_at: nullable(time),
    created_at: time,
    attempts: { ...listSchema(ref('DeliveryAttempt')), description: 'Newest first.' },
  }),
  WebhookSecretView: object({
    secret: text,
    previous_until: {
      ...nullable(time),
      description: 'Until when the secret before this one signs too; null when there is none.',
    },
  }),
  WebhookTestView: object({
    id: text,
    status: nullable(status),
    error: { ...nullable(text), description: 'Why there was no answer, in plain words.' },
    ms: count,
  }),
};
