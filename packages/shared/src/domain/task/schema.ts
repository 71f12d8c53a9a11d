import Joi from 'joi';
import {
  type FormFieldName,
  type GenerateRequest,
  type GivenRequest,
  type MetadataQuery,
  type PageQuery,
  TASK_TYPES,
  type TasksQuery,
} from '../contract/index.js';
import {
  boolean,
  choice,
  cursorField,
  dayField,
  describe,
  dollars,
  type Infer,
  integer,
  list,
  named,
  nullable,
  object,
  optional,
  record,
  shape,
  text,
  union,
  withDefault,
  withMessage,
} from '../schema/index.js';
import type { QuerySchemas } from '../validation/index.js';
import { deliveryItem } from '../webhook/schema.js';
import { type PublicTask, publicTask } from './public-task.js';

export * from './log-schema.js';
export * from './public-task.js';

/** Task in the list of its account. */
export const taskItem = object({
  ...publicTask.fields,
  prompt: text(),
  num_outputs: integer(),
});
export type TaskItem = Infer<typeof taskItem>;

/** Stored image of a task. */
export const taskOutputView = object({
  index: integer(),
  url: text(),
  content_type: text(),
  bytes: integer(),
  width: integer(),
  height: integer(),
  stored_at: text(),
});
export type TaskOutputView = Infer<typeof taskOutputView>;

/** Why a pending task is not being drawn. */
export const taskWait = object({
  /**
   * - `worker`: it is due, and no worker has taken it yet.
   * - `provider-failed`: the last attempt ended with a failure of a provider.
   * - `provider-works`: the provider draws, and is asked again later.
   * - `pause`: any other pause, such as the rate limit of a provider.
   */
  reason: choice(['worker', 'provider-failed', 'provider-works', 'pause']),
  /** Null: it is due. */
  next_try_at: nullable(text()),
  /** Number of the next try, from 1. */
  next_try: integer(),
  max_tries: integer(),
});
export type TaskWait = Infer<typeof taskWait>;

/** Task with all that its owner may see. */
export const taskDetail = object({
  ...taskItem.fields,
  phase: choice(['queued', 'running', 'done']),
  /** Null while it is being drawn, and once it has ended. */
  wait: nullable(taskWait),
  /** True while calls that run are awaited before its end; what they deliver is charged. */
  is_canceling: boolean(),
  /** Number of images that are stored so far. */
  stored: integer(),
  /** Request as it can be sent again: images that were uploaded are named as files. */
  request: shape<GivenRequest>(Joi.object().unknown()),
  /** Number of its images that were uploaded and are no longer kept as files. */
  lost_inputs: integer(),
  /** True if it has a mask, which is kept for 24 hours after the task's end. */
  has_mask: boolean(),
  api_key: object({
    id: text(),
    name: nullable(text()),
  }),
  request_id: text(),
  unit_price: text(),
  held: text(),
  refunded: nullable(text()),
  deadline_at: text(),
  /** When its retention erases it; null: it is kept, or pending. */
  expires_at: nullable(text()),
  /** True once prompt and images are erased. */
  is_erased: boolean(),
  outputs: list(taskOutputView),
  delivery: nullable(deliveryItem),
});
export type TaskDetail = Infer<typeof taskDetail>;

/** Stored image in the gallery of its account. */
export const galleryImage = object({
  task_id: text(),
  index: integer(),
  url: text(),
  width: integer(),
  height: integer(),
  bytes: integer(),
  model: text(),
  type: publicTask.fields.type,
  prompt: text(),
  /** Charge for this image. */
  cost: text(),
  created_at: text(),
});
export type GalleryImage = Infer<typeof galleryImage>;

/** Part of the gallery. */
export const galleryPage = object({
  items: list(galleryImage),
  /** Value of `before` for the part that follows; null at the end. A part without images may have a next one. */
  next: nullable(text()),
});
export type GalleryPage = Infer<typeof galleryPage>;

/** Run of the playground in the list of its account. */
export const playgroundRun = object({
  id: text(),
  status: publicTask.fields.status,
  /** At most 120 characters of it. */
  prompt: text(),
  /** Its first image; null without one. */
  url: nullable(text()),
});
export type PlaygroundRun = Infer<typeof playgroundRun>;

/** Values that a model takes for a field, in the words of JSON Schema. */
export const formField = object({
  type: choice(['string', 'integer']),
  enum: optional(list(text())),
  minimum: optional(integer()),
  maximum: optional(integer()),
  maxLength: optional(integer()),
  default: optional(union(text(), integer())),
});
export type FormField = Infer<typeof formField>;

/** Model of the playground: what it takes, and what an image costs. */
export const playgroundModel = object({
  id: text(),
  /** Name for people. */
  name: text(),
  /** True if it draws from a prompt alone. */
  generates: boolean(),
  /** Public name of the model family. */
  family: nullable(text()),
  /** Fields that it takes, in the order of the form. */
  fields: shape<Readonly<Partial<Record<FormFieldName, FormField>>>>(record(formField).joi),
  max_inputs: integer(),
  has_masks: boolean(),
  /** Price of one image, by resolution on offer. */
  prices: record(text()),
  /** Price of one image by resolution and quality, where there is a choice of quality. */
  prices_by_quality: record(record(text())),
});
export type PlaygroundModel = Infer<typeof playgroundModel>;

/** Models of the playground. */
export const playgroundView = object({
  models: list(playgroundModel),
});
export type PlaygroundView = Infer<typeof playgroundView>;

/** Open task in the list of operators. */
export const openTaskItem = object({
  id: text(),
  account_id: text(),
  email: text(),
  model: text(),
  phase: text(),
  tries: integer(),
  attempt: integer(),
  stored: integer(),
  asked: integer(),
  worker: nullable(text()),
  held: text(),
  created_at: text(),
  due_at: text(),
  lease_until: nullable(text()),
  deadline_at: text(),
  /** Overdue, without a valid lease, or close to the deadline. */
  is_stuck: boolean(),
  /** True once its end was requested: no call starts any more. */
  is_canceling: boolean(),
});
export type OpenTaskItem = Infer<typeof openTaskItem>;

/** Call of a provider for a task. */
export const providerCallItem = object({
  id: text(),
  attempt: integer(),
  provider: text(),
  model: text(),
  images_asked: integer(),
  state: text(),
  detail: nullable(text()),
  provider_request_id: nullable(text()),
  cost: nullable(text()),
  created_at: text(),
  finished_at: nullable(text()),
  latency_ms: nullable(integer()),
  key: nullable(text()),
});
export type ProviderCallItem = Infer<typeof providerCallItem>;

/** Task as operators see it: every row that belongs to it, without the content that its owner wrote. */
export const wholeTask = object({
  id: text(),
  account_id: text(),
  email: text(),
  api_key_id: text(),
  request_id: text(),
  model: text(),
  type: text(),
  status: text(),
  phase: text(),
  attempt: integer(),
  tries: integer(),
  asked: integer(),
  stored: integer(),
  calls: integer(),
  aspect_ratio: text(),
  resolution: text(),
  unit_price: text(),
  hold: text(),
  cost: text(),
  /** Amount that was given back of the cost; null: nothing. */
  refunded: nullable(text()),
  /** Cost of its provider calls, at list price where the provider reports none. */
  upstream_cost: text(),
  /** May be negative; null while pending. */
  margin: nullable(text()),
  /** True once its end was requested: no call starts any more, and its open calls are waited for. */
  is_canceling: boolean(),
  error: nullable(text()),
  worker: nullable(text()),
  due_at: text(),
  lease_until: nullable(text()),
  deadline_at: text(),
  created_at: text(),
  started_at: nullable(text()),
  completed_at: nullable(text()),
  input_images: integer(),
  outputs: list(object({ ...taskOutputView.fields, key: text() })),
  provider_calls: list(providerCallItem),
  ledger: list(
    object({
      id: text(),
      kind: text(),
      amount: text(),
      reason: nullable(text()),
      created_at: text(),
    }),
  ),
  webhook: nullable(
    object({
      id: text(),
      state: text(),
      attempt: integer(),
      last_status: nullable(integer()),
      last_error: nullable(text()),
      next_attempt_at: nullable(text()),
      delivered_at: nullable(text()),
      host: text(),
    }),
  ),
});
export type WholeTask = Infer<typeof wholeTask>;

/** Query of the gallery; days are UTC and inclusive. */
export const galleryQuery = object({
  model: optional(withMessage(text({ minLength: 1, maxLength: 100 }), 'model must be the id of a model.')),
  type: optional(withMessage(choice(TASK_TYPES), `type must be one of ${TASK_TYPES.join(', ')}.`)),
  from: optional(dayField),
  to: optional(dayField),
  before: cursorField,
});

/** Query of open tasks. */
export const openTasksQuery = object({
  stuck: withDefault(withMessage(boolean(), 'stuck must be true or false.'), false),
});

/** Fields of a request with a default may be absent or null in the playground. */
type PlaygroundRequest = Pick<GenerateRequest, 'model' | 'prompt'> & {
  readonly [F in Exclude<keyof GenerateRequest, 'model' | 'prompt'>]?: GenerateRequest[F] | null;
} & { readonly mask?: string | null };

/** Body of the playground, which is checked as that of `POST /v1/generate` is. */
export const playgroundBody = shape<unknown, PlaygroundRequest>(Joi.any());

/** Query of the list of tasks, whose models follow the catalog. */
export const tasksQuery = ({ tasks }: Pick<QuerySchemas, 'tasks'>) =>
  shape<
    TasksQuery,
    Partial<PageQuery> & Partial<Pick<TasksQuery, 'status' | 'type' | 'model'>> & MetadataQuery
  >(tasks);

/** The body of a webhook; `data` is byte for byte what `GET /v1/tasks/{id}` gives. */
export interface WebhookEvent {
  readonly type: 'task.completed' | 'task.failed';
  /** When the task ended, ISO 8601. */
  readonly timestamp: string;
  readonly data: PublicTask;
}

/** Price of a request that is not submitted. */
export const quoteView = named(
  'Quote',
  object({
    model: text(),
    type: choice(TASK_TYPES),
    units: integer({ minimum: 1, description: 'Output images.' }),
    unit_cost: describe(dollars, 'Price of an image.'),
    cost: describe(dollars, 'What a submit holds.'),
    affordable: boolean({ description: 'The balance and the caps of the key reach for it now.' }),
    ignored: optional(
      describe(
        list(text()),
        'Fields of the body that other APIs know and that have no effect here. Absent where there are none.',
      ),
    ),
  }),
);
