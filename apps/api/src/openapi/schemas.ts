import {
  HTTP_STATUS_BY_CODE,
  KEY_CAPS,
  KEY_LIMITS,
  KEY_SCOPES,
  listLimits,
  NO_LIMIT,
  QUALITIES,
  RESOLUTIONS,
  TASK_STATUSES,
  TASK_TYPES,
  type TaskStatus,
} from '@image-gateway/shared/contract';
import { idPattern } from '@image-gateway/shared/ids';
import {
  ADDED_NAMES,
  BODY_NAMES,
  PREFERENCE_NAMES,
  PREFERENCE_SCHEMAS,
  REQUIREMENT_NAMES,
  TASK_FIELDS,
  VIEW_NAMES,
} from '@image-gateway/shared/task';
import type { OptionalField } from '@image-gateway/shared/upstreams';
import Joi from 'joi';
import type { JsonSchema } from './json-schema.js';
import { count, dollars, listSchema, object, ref, signedDollars, text, time } from './parts.js';
import { toJsonSchema } from './to-json-schema.js';

/** Limits that a key sees of itself where it has them, besides its caps. */
const OWN_LIMITS = Object.fromEntries(
  listLimits(KEY_LIMITS).flatMap(([name, { kind, description }]) =>
    description
      ? [[name, { ...(Array.isArray(NO_LIMIT[kind]) ? listSchema(text) : count), description }]]
      : [],
  ),
);

/** The fields of a task, but for its status. */
const taskFields: Readonly<Record<string, JsonSchema>> = {
  id: { ...text, pattern: idPattern('gen') },
  model: { ...text, description: 'Model ID.' },
  type: { ...text, enum: TASK_TYPES },
  output: ref('TaskOutput'),
  error: { ...text, description: 'Why the task failed, in plain words. Only when failed.' },
  cost: { ...dollars, description: 'What was charged; `$0.00` while pending and when failed.' },
  created_at: time,
  started_at: { ...time, description: 'When processing began.' },
  completed_at: { ...time, description: 'When the task completed or failed.' },
  metadata: {
    type: 'object',
    additionalProperties: text,
    description: 'As the request gave it, until the task is erased. Only of a request that gave some.',
  },
};

const PREFERENCE_SCHEMA = Joi.object(
  Object.fromEntries(
    PREFERENCE_NAMES.filter((name) => !BODY_NAMES.some((one) => one === name)).map((name) => [
      name,
      PREFERENCE_SCHEMAS[name],
    ]),
  ),
);

const ACCEPTED = REQUIREMENT_NAMES.map((name): OptionalField & { readonly name: string } => ({
  name,
  ...TASK_FIELDS[name].requires,
}));

/** Describes what models say of a field that their routes take. */
function describeAccepted({ kind, values }: OptionalField): JsonSchema {
  const number = { type: 'integer', minimum: 0, description: 'Greatest seed.' } as const;
  return { values: listSchema({ ...text, enum: values }), number, all: { type: 'boolean' } as const }[kind];
}
/** Fields of the full view that the request may have left out; the ratio of an edit may still be unknown. */
const GIVEN_NAMES = ['aspect_ratio', ...ADDED_NAMES, ...PREFERENCE_NAMES];

/** Fields that a task has only in some states; those that it must have, and those that it has not. */
const STATES = {
  pending: { needs: [], lacks: ['output', 'error', 'completed_at'] },
  completed: { needs: ['output', 'started_at', 'completed_at'], lacks: ['error'] },
  failed: { needs: ['error', 'started_at', 'completed_at'], lacks: ['output'] },
} as const satisfies Readonly<
  Record<TaskStatus, { readonly needs: readonly string[]; readonly lacks: readonly string[] }>
>;

/** Name of the schema of a task in a status, such as `TaskPending`. */
const getTaskName = (prefix: string, status: TaskStatus): string =>
  `${prefix}${status[0]?.toUpperCase()}${status.slice(1)}`;

/** One schema for each status, and their union, which `status` tells apart. */
function taskSchemas(
  prefix: 'Task' | 'FullTask',
  more: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[],
  description: string,
): Readonly<Record<string, JsonSchema>> {
  const schemas = TASK_STATUSES.map((status): readonly [string, JsonSchema] => {
    const { needs, lacks }: { needs: readonly string[]; lacks: readonly string[] } = STATES[status];
    const { id, ...fields } = taskFields;
    const all = { id: id ?? {}, status: { ...text, const: status }, ...fields, ...more };
    const has = Object.fromEntries(Object.entries(all).filter(([name]) => !lacks.includes(name)));
    return [
      getTaskName(prefix, status),
      {
        ...object(has, [...(needs.includes('started_at') ? [] : ['started_at']), 'metadata', ...optional]),
        not: { anyOf: lacks.map((name) => ({ required: [name] })) },
      },
    ];
  });
  const names = schemas.map(([name]) => name);
  const union = {
    oneOf: names.map(ref),
    discriminator: {
      propertyName: 'status',
      mapping: Object.fromEntries(
        TASK_STATUSES.map((status) => [status, ref(getTaskName(prefix, status)).$ref]),
      ) as unknown,
    },
    description,
  };
  return { [prefix]: union, ...Object.fromEntries(schemas) };
}

/** Schemas of responses and webhooks. */
export const responseSchemas: Readonly<Record<string, JsonSchema>> = {
  Error: object({
    code: { ...text, enum: Object.keys(HTTP_STATUS_BY_CODE) },
    message: { ...text, maxLength: 400, description: 'What went wrong and what to do, in plain words.' },
  }),
  ErrorResponse: {
    ...object({ data: { type: 'null' }, error: ref('Error') }),
    description: 'Body of every response that is no success.',
  },
  TaskOutput: object({
    url: { ...text, format: 'uri', description: 'URL of the first image.' },
    urls: { type: 'array', minItems: 1, items: { ...text, format: 'uri' } },
  }),
  TaskImage: object(
    {
      url: { ...text, format: 'uri' },
      width: { type: 'integer', minimum: 1 },
      height: { type: 'integer', minimum: 1 },
      bytes: { type: 'integer', minimum: 1 },
      content_type: text,
      sha256: { ...text, description: 'Hexadecimal.' },
      seed: { type: 'integer', description: 'As the upstream reported it, like the next two.' },
      quality: text,
      revised_prompt: text,
    },
    ['seed', 'quality', 'revised_prompt'],
  ),
  ...taskSchemas('Task', {}, [], 'Ignore fields that you do not know: later versions may add some.'),
  ...taskSchemas(
    'FullTask',
    {
      images: {
        ...listSchema(ref('TaskImage')),
        description: 'Empty unless the task is completed.',
      },
      asked: { type: 'integer', minimum: 1, description: 'How many images were asked for.' },
      ...Object.fromEntries(VIEW_NAMES.map((name) => [name, TASK_FIELDS[name].view])),
      ...toJsonSchema(PREFERENCE_SCHEMA).properties,
      mask: { type: 'boolean', description: 'True for an edit with a mask. Absent otherwise.' },
      unused: {
        ...listSchema(text),
        description: 'Fields of a request of the facade that the upstream did not use.',
      },
      expires_at: {
        ...text,
        format: 'date-time',
        description:
          'When prompt, input URLs and images are erased. Only of a finished task with a retention.',
      },
      refunded: { ...dollars, description: 'What was paid back. Only after a refund.' },
    },
    [...GIVEN_NAMES, 'mask', 'unused', 'expires_at', 'refunded'],
    'A task with `view=full`.',
  ),
  Pagination: object({
    page: { type: 'integer', minimum: 1 },
    per_page: { type: 'integer', minimum: 1, maximum: 100 },
    total: count,
    total_pages: { ...count, description: '0 for an empty list.' },
  }),
  Model: object(
    {
      id: { ...text, description: 'Value of `model` in a request.' },
      name: text,
      family: { ...text, description: 'Name of the model family. Only when it has one.' },
      types: listSchema({ ...text, enum: TASK_TYPES }),
      price: {
        ...object(Object.fromEntries(RESOLUTIONS.map((resolution) => [resolution, dollars])), RESOLUTIONS),
        description:
          'Price of an image by resolution, of a request without `quality`. A resolution without a price is not offered.',
      },
      prices: {
        ...object(
          Object.fromEntries(
            RESOLUTIONS.map((resolution) => [
              resolution,
              object(Object.fromEntries(QUALITIES.map((quality) => [quality, dollars])), QUALITIES),
            ]),
          ),
          RESOLUTIONS,
        ),
        description: 'Price of an image by quality. Only the resolutions whose price depends on it.',
      },
      aspect_ratios: listSchema(text),
      max_inputs: { ...count, description: 'Input images of one request, at most.' },
      max_outputs: { type: 'integer', minimum: 1, description: 'Output images of one request, at most.' },
      accepts: {
        ...object(
          Object.fromEntries(ACCEPTED.map(({ name, ...field }) => [name, describeAccepted(field)])),
          ACCEPTED.filter(({ usual }) => usual === undefined).map(({ name }) => name),
        ),
        description: 'Optional fields that can be asked for, and their values.',
      },
    },
    ['family', 'prices'],
  ),
  UploadedFile: object({
    id: { ...text, pattern: '^file_[0-9A-Za-z]{22,}$', description: 'Can stand in `image_urls`.' },
    url: { ...text, format: 'uri', description: 'The same; needs a key to be fetched.' },
    content_type: { ...text, enum: ['image/png', 'image/jpeg', 'image/webp'] },
    bytes: { type: 'integer', minimum: 1 },
    width: { type: 'integer', minimum: 1, description: 'Pixels as they are stored.' },
    height: { type: 'integer', minimum: 1 },
    sha256: { ...text, pattern: '^[0-9a-f]{64}$' },
    expires_at: { ...time, description: 'Until when it is kept, unless a task uses it.' },
  }),
  Quote: object(
    {
      model: text,
      type: { ...text, enum: TASK_TYPES },
      units: { type: 'integer', minimum: 1, description: 'Output images.' },
      unit_cost: { ...dollars, description: 'Price of an image.' },
      cost: { ...dollars, description: 'What a submit holds.' },
      affordable: { type: 'boolean', description: 'The balance and the caps of the key reach for it now.' },
      ignored: {
        ...listSchema(text),
        description:
          'Fields of the body that other APIs know and that have no effect here. Absent where there are none.',
      },
    },
    ['ignored'],
  ),
  Cap: object({ limit: dollars, used: { ...dollars, description: 'Spent and held.' } }),
  Account: object(
    {
      id: { ...text, pattern: idPattern('acc') },
      balance: { ...dollars, description: 'Only with the scope `read`, as `held` and `available`.' },
      held: { ...dollars, description: 'What open tasks hold.' },
      available: { ...dollars, description: 'The balance less what is held.' },
      key: object(
        {
          id: { ...text, pattern: idPattern('key') },
          name: text,
          prefix: text,
          scopes: listSchema({ ...text, enum: KEY_SCOPES }),
          ...OWN_LIMITS,
          caps: {
            ...object(
              {
                ...Object.fromEntries(KEY_CAPS.map(([window]) => [window, ref('Cap')])),
                day_per: {
                  ...object({ key: text, limit: dollars }),
                  description: 'Daily cap of each value of a key of metadata, which requests must give.',
                },
              },
              [...KEY_CAPS.map(([window]) => window), 'day_per'],
            ),
            description: 'Caps of a day and a month in UTC, and in total. Only when limited.',
          },
        },
        [...Object.keys(OWN_LIMITS), 'caps'],
      ),
    },
    ['balance', 'held', 'available'],
  ),
  UsageRecord: object(
    {
      id: text,
      task_id: text,
      model: text,
      type: { ...text, enum: [...TASK_TYPES, 'refund'] },
      units: { ...count, description: 'Output images; 0 for a refund.' },
      cost: { ...signedDollars, description: 'Dollars; negative for a refund.' },
      created_at: time,
      quality: { ...text, enum: QUALITIES, description: 'Only where the price depends on it.' },
      metadata: {
        type: 'object',
        additionalProperties: text,
        description: 'Of the task, until it is erased.',
      },
    },
    ['quality', 'metadata'],
  ),
  UsageSummaryEntry: object(
    {
      hour: { ...time, description: 'Begin of the hour. Only when grouped by hour.' },
      day: { ...text, format: 'date', description: 'Day in UTC. Only when grouped by day.' },
      api_key_id: { ...text, description: 'Only when grouped by key.' },
      model: { ...text, description: 'Only when grouped by model.' },
      quality: {
        ...text,
        enum: QUALITIES,
        description: 'Only when grouped by quality; absent for usage at plain prices.',
      },
      metadata: {
        type: 'object',
        additionalProperties: text,
        description: 'Only when grouped by a key of metadata; absent for usage without it.',
      },
      total_units: { ...count, description: 'Output images.' },
      total_cost: { ...signedDollars, description: 'Dollars, less refunds when these are included.' },
      request_count: count,
    },
    ['hour', 'day', 'api_key_id', 'model', 'quality', 'metadata'],
  ),
  WebhookEvent: object({
    type: { ...text, enum: ['task.completed', 'task.failed'] },
    timestamp: { ...time, description: 'When the task ended.' },
    data: ref('Task'),
  }),
};
