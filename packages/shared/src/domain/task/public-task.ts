import Joi from 'joi';
import { type GivenFields, TASK_STATUSES, TASK_TYPES } from '../contract/index.js';
import {
  boolean,
  choice,
  describe,
  dollars,
  fromJoi,
  type Infer,
  id,
  integer,
  list,
  metadata,
  named,
  object,
  optional,
  shape,
  text,
  time,
} from '../schema/index.js';
import { ADDED_NAMES, BODY_NAMES, TASK_FIELDS, VIEW_NAMES } from './fields.js';
import { PREFERENCE_NAMES, PREFERENCE_SCHEMAS } from './preferences.js';

const uri = text({ format: 'uri' });

/** URLs of the images of a task. */
export const taskOutput = named(
  'TaskOutput',
  object({ url: describe(uri, 'URL of the first image.'), urls: list(uri, { minItems: 1 }) }),
);

/** A task as `GET /v1/tasks/{id}` and the webhook show it; what does not apply is absent, never null. */
export const publicTask = object({
  id: id('gen'),
  status: choice(TASK_STATUSES),
  model: text({ description: 'Model ID.' }),
  type: choice(TASK_TYPES),
  output: optional(taskOutput),
  error: optional(text({ description: 'Why the task failed, in plain words. Only when failed.' })),
  cost: describe(dollars, 'What was charged; `$0.00` while pending and when failed.'),
  created_at: time,
  started_at: optional(describe(time, 'When processing began.')),
  completed_at: optional(describe(time, 'When the task completed or failed.')),
  metadata: optional(
    describe(metadata, 'As the request gave it, until the task is erased. Only of a request that gave some.'),
  ),
});
export type PublicTask = Infer<typeof publicTask>;

/** The same by its name in the document. */
export const task = named('Task', publicTask);

/** Image of a task in its full view. */
export const taskImage = named(
  'TaskImage',
  object({
    url: uri,
    width: integer({ minimum: 1 }),
    height: integer({ minimum: 1 }),
    bytes: integer({ minimum: 1 }),
    content_type: text(),
    sha256: text({ description: 'Hexadecimal.' }),
    seed: optional(integer({ description: 'As the upstream reported it, like the next two.' })),
    quality: optional(text()),
    revised_prompt: optional(text()),
  }),
);

/** Fields of the request that a task may lack in its full view; the shape of an edit may still be unknown. */
const GIVEN_NAMES: readonly string[] = ['aspect_ratio', ...ADDED_NAMES];

const images = {
  images: describe(list(taskImage), 'Empty unless the task is completed.'),
  asked: integer({ minimum: 1, description: 'How many images were asked for.' }),
};
const asides = {
  mask: optional(boolean({ description: 'True for an edit with a mask. Absent otherwise.' })),
  unused: optional(
    describe(list(text()), 'Fields of a request of the facade that the upstream did not use.'),
  ),
  expires_at: optional(
    text({
      format: 'date-time',
      description: 'When prompt, input URLs and images are erased. Only of a finished task with a retention.',
    }),
  ),
  refunded: optional(describe(dollars, 'What was paid back. Only after a refund.')),
};

/** The fields that the full view has beside those of the plain one. */
export const fullTaskFields = {
  ...images,
  ...Object.fromEntries(
    VIEW_NAMES.map((name) => {
      const field = shape<unknown>(
        TASK_FIELDS[name].view.type === 'integer' ? Joi.number() : Joi.string(),
        TASK_FIELDS[name].view,
      );
      return [name, GIVEN_NAMES.includes(name) ? optional(field) : field];
    }),
  ),
  ...Object.fromEntries(
    PREFERENCE_NAMES.filter((name) => !BODY_NAMES.some((one) => one === name)).map((name) => [
      name,
      optional(fromJoi(PREFERENCE_SCHEMAS[name])),
    ]),
  ),
  ...asides,
};

const imagesShape = object(images);
const asidesShape = object(asides);
/** Task as `view=full` shows it. */
export interface FullTask
  extends PublicTask,
    GivenFields,
    Infer<typeof imagesShape>,
    Infer<typeof asidesShape> {
  readonly prompt: string;
  /** Absent until a worker has set the shape of an edit that follows its first image. */
  readonly aspect_ratio?: string;
  readonly resolution: string;
}

/** A task with `view=full`. */
export const fullTask = named(
  'FullTask',
  shape<FullTask>(object({ ...publicTask.fields, ...fullTaskFields }).joi),
);
