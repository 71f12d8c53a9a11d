import { PREFERENCE_SCHEMAS } from '@image-gateway/shared/task';
import { metadataSchema } from '@image-gateway/shared/validation';
import Joi from 'joi';
import { STRICT_FIELDS } from '../openai/request/read-image-fields.js';
import type { JsonSchema } from './json-schema.js';
import { idempotencyKey } from './parameters.js';
import { count, listSchema, nullable, object, ref, text } from './parts.js';
import { toJsonSchema } from './to-json-schema.js';

const ERROR = object({
  error: object({ message: text, type: text, param: nullable(text), code: nullable(text) }),
});
const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is invalid, or its task has failed (`x-should-retry: false`).',
  401: 'The API key is missing or invalid.',
  403: 'No money (`insufficient_quota`), a suspended account, or something that the key may not do.',
  404: 'Not found.',
  429: 'Too many requests; repeat after `Retry-After`.',
  500: 'Something went wrong, and no task was made.',
  503: 'The wait is over before the task, or the service restarts: repeat after `Retry-After`.',
};

const json = (description: string, schema: JsonSchema): JsonSchema => ({
  description,
  content: { 'application/json': { schema } },
});
const errors = (...statuses: readonly number[]): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    statuses.map((status) => [status, json(DESCRIPTIONS[status] ?? '', ref('FacadeError'))]),
  );

const MODEL = object({ id: text, object: { const: 'model' }, created: count, owned_by: text });
const IMAGES = object(
  {
    created: count,
    data: listSchema(object({ b64_json: text, url: text }, ['b64_json', 'url'])),
    size: text,
    output_format: text,
    background: text,
    quality: text,
    usage: { type: 'object' },
  },
  ['background', 'quality'],
);
/** Preferences take any value: those that no route understands are reported. */
const PREFERENCE_FIELDS = Object.fromEntries(
  Object.entries(toJsonSchema(Joi.object(PREFERENCE_SCHEMAS)).properties).map(([name, schema]) => [
    name,
    { anyOf: [schema, {}], description: schema.description },
  ]),
);
const METADATA = toJsonSchema(Joi.object({ metadata: metadataSchema() })).properties.metadata;
const STRICT = toJsonSchema(STRICT_FIELDS);
const GENERATION = {
  ...STRICT,
  properties: {
    ...STRICT.properties,
    background: { ...text, description: '`transparent`, `opaque` or `auto`.' },
    metadata: {
      anyOf: [METADATA, {}],
      description: 'Texts of your own, shown with the task. What does not fit is ignored.',
    },
    ...PREFERENCE_FIELDS,
  },
};

const addInputs = (name: string, items: JsonSchema, mask: JsonSchema): JsonSchema => ({
  ...GENERATION,
  required: ['prompt', name],
  properties: {
    ...GENERATION.properties,
    [name]: listSchema(items),
    mask: { ...mask, description: MASK },
  },
});
const MASK =
  'PNG or WebP with alpha, as large as the first image: what is fully transparent is drawn anew. In JSON a data URL.';
const FILE = { ...text, format: 'binary' };
const EDIT_FORM = addInputs('image', FILE, FILE);
const EDIT = addInputs(
  'images',
  object({ image_url: { ...text, description: 'A URL or a data URL.' } }),
  text,
);

const ANSWERS: Readonly<Record<string, JsonSchema>> = {
  200: {
    description: 'The images; with `stream` an event for each.',
    headers: {
      'x-gateway-unused': {
        description:
          'Fields of the request that the upstream did not use, such as `style, seed`. Absent where there are none.',
        schema: { type: 'string' },
      },
    },
    content: {
      'application/json': { schema: ref('FacadeImages') },
      'text/event-stream': {},
    },
  },
  202: json('The task, as `POST /v1/generate` answers.', { type: 'object' }),
  ...errors(400, 401, 403, 404, 429, 500, 503),
};

const ASYNC_TASK = object(
  {
    id: text,
    task_id: { ...text, description: 'The same.' },
    object: { ...text, const: 'image.generation.task' },
    status: { ...text, enum: ['processing', 'completed', 'failed'] },
    created_at: count,
    expires_at: count,
    poll_url: { ...text, description: 'Path of the task; in the answer of a submit.' },
    completed_at: count,
    image_url: { ...text, description: 'URL of the first image.' },
    result: object({ created: count, data: listSchema(object({ url: text })) }),
    data: { ...listSchema(object({ url: text })), description: 'The same list as in `result`.' },
    error: { type: 'object', description: 'Why the task failed.' },
  },
  ['poll_url', 'completed_at', 'image_url', 'result', 'data', 'error'],
);
const ASYNC_ANSWERS: Readonly<Record<string, JsonSchema>> = {
  202: json('The task.', ref('FacadeTask')),
  ...errors(400, 401, 403, 404, 429, 500, 503),
};
const GENERATION_BODY = {
  required: true,
  content: { 'application/json': { schema: ref('FacadeGeneration') } },
};
const EDIT_BODY = {
  required: true,
  content: {
    'multipart/form-data': { schema: ref('FacadeEditForm') },
    'application/json': { schema: ref('FacadeEdit') },
  },
};

/** Schemas of the operations in the protocol of OpenAI. */
export const facadeSchemas: Readonly<Record<string, JsonSchema>> = {
  FacadeError: ERROR,
  FacadeGeneration: GENERATION,
  FacadeEditForm: EDIT_FORM,
  FacadeEdit: EDIT,
  FacadeImages: IMAGES,
  FacadeModel: MODEL,
  FacadeTask: ASYNC_TASK,
};

/** Operations in the protocol of OpenAI, for clients that speak nothing else. */
export function facadePaths(): Readonly<Record<string, JsonSchema>> {
  return {
    '/openai/v1/images/generations': {
      post: {
        operationId: 'facadeGenerate',
        summary: 'Generate images and wait for them, as OpenAI does',
        parameters: [idempotencyKey],
        requestBody: GENERATION_BODY,
        responses: ANSWERS,
      },
    },
    '/openai/v1/images/edits': {
      post: {
        operationId: 'facadeEdit',
        summary: 'Edit images and wait for the results, as OpenAI does',
        parameters: [idempotencyKey],
        requestBody: EDIT_BODY,
        responses: ANSWERS,
      },
    },
    '/openai/v1/images/generations/async': {
      post: {
        operationId: 'facadeGenerateAsync',
        summary: 'Generate images without waiting, in the dialect of other gateways',
        parameters: [idempotencyKey],
        requestBody: GENERATION_BODY,
        responses: ASYNC_ANSWERS,
      },
    },
    '/openai/v1/images/edits/async': {
      post: {
        operationId: 'facadeEditAsync',
        summary: 'Edit images without waiting, in the dialect of other gateways',
        parameters: [idempotencyKey],
        requestBody: EDIT_BODY,
        responses: ASYNC_ANSWERS,
      },
    },
    '/openai/v1/images/tasks': {
      post: {
        operationId: 'facadeSubmitTask',
        summary: 'The same as `/openai/v1/images/generations/async`, for clients that submit tasks here',
        parameters: [idempotencyKey],
        requestBody: GENERATION_BODY,
        responses: ASYNC_ANSWERS,
      },
    },
    '/openai/v1/images/tasks/{id}': {
      get: {
        operationId: 'facadeGetTask',
        summary: 'Read a task in the dialect of other gateways',
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        responses: {
          200: json('The task as it is now.', ref('FacadeTask')),
          ...errors(400, 401, 403, 404, 429, 500, 503),
        },
      },
    },
    '/openai/v1/models': {
      get: {
        operationId: 'facadeListModels',
        summary: 'List ids and aliases of the models on offer',
        responses: {
          200: json(
            'The models.',
            object({ object: { const: 'list' }, data: listSchema(ref('FacadeModel')) }),
          ),
          ...errors(400, 401, 403, 404, 429, 500, 503),
        },
      },
    },
    '/openai/v1/models/{id}': {
      get: {
        operationId: 'facadeGetModel',
        summary: 'Find a model by its id or alias',
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        responses: {
          200: json('The model.', ref('FacadeModel')),
          ...errors(400, 401, 403, 404, 429, 500, 503),
        },
      },
    },
  };
}
