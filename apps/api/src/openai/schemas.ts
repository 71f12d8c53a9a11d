import { refusalDetails } from '@image-gateway/shared/account/schema';
import {
  choice,
  count,
  describe,
  type JsonSchema,
  list,
  literal,
  named,
  nullable,
  object,
  optional,
  shape,
  text,
} from '@image-gateway/shared/schema';
import { PREFERENCE_SCHEMAS } from '@image-gateway/shared/task';
import { metadataSchema } from '@image-gateway/shared/validation';
import Joi from 'joi';
import { toJsonSchema } from '../http/openapi/to-json-schema.js';
import { STRICT_FIELDS } from './request/read-image-fields.js';

const error = named(
  'FacadeError',
  object({
    error: object({
      message: text(),
      type: text(),
      param: nullable(text()),
      code: nullable(text()),
      details: optional(refusalDetails),
    }),
  }),
);
const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is invalid, or its task has failed (`x-should-retry: false`).',
  401: 'The API key is missing or invalid.',
  403: 'No money (`insufficient_quota`), a suspended account, or something that the key may not do.',
  404: 'Not found.',
  429: 'Too many requests; repeat after `Retry-After`.',
  500: 'Something went wrong, and no task was made.',
  503: 'The wait is over before the task, or the service restarts: repeat after `Retry-After`.',
};

const anyObject = shape(Joi.object().unknown(), { type: 'object' });
const describeJson = (description: string, schema: JsonSchema): JsonSchema => ({
  description,
  content: { 'application/json': { schema } },
});

/** Returns the error responses with these statuses. */
export const listFacadeErrors = (...statuses: readonly number[]): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    statuses.map((status) => [status, describeJson(DESCRIPTIONS[status] ?? '', error.json)]),
  );

/** Model in the protocol of OpenAI. */
export const facadeModel = named(
  'FacadeModel',
  object({
    id: text(),
    object: shape(Joi.valid('model'), { const: 'model' }),
    created: count,
    owned_by: text(),
  }),
);

/** List of models in the protocol of OpenAI. */
export const facadeModels = object({
  object: shape(Joi.valid('list'), { const: 'list' }),
  data: list(facadeModel),
});

const images = named(
  'FacadeImages',
  object({
    created: count,
    data: list(object({ b64_json: optional(text()), url: optional(text()) })),
    size: text(),
    output_format: text(),
    background: optional(text()),
    quality: optional(text()),
    usage: anyObject,
  }),
);

const anyText: JsonSchema = { type: 'string' };
/** Preferences take any value: those that no route understands are reported. */
const PREFERENCE_FIELDS = Object.fromEntries(
  Object.entries(toJsonSchema(Joi.object(PREFERENCE_SCHEMAS)).properties).map(
    ([name, { description, enum: values }]) => [
      name,
      { ...(Array.isArray(values) && { examples: values as unknown[] }), description },
    ],
  ),
);
const METADATA = toJsonSchema(Joi.object({ metadata: metadataSchema() })).properties.metadata;
const { response_format: RESPONSE_FORMAT = {}, ...STRICT_PROPERTIES } =
  toJsonSchema(STRICT_FIELDS).properties;
const STRICT = toJsonSchema(STRICT_FIELDS);
const GENERATION = {
  ...STRICT,
  properties: {
    ...STRICT_PROPERTIES,
    // Named, so that generators make one type of it for forms and JSON.
    response_format: { $ref: '#/components/schemas/FacadeResponseFormat' },
    background: { ...anyText, description: '`transparent`, `opaque` or `auto`.' },
    metadata: {
      anyOf: [METADATA, {}],
      description: 'Texts of your own, shown with the task. What does not fit is ignored.',
    },
    ...PREFERENCE_FIELDS,
  },
};

const MASK =
  'PNG or WebP with alpha, as large as the first image: what is fully transparent is drawn anew. In JSON a data URL.';
const FILE = { ...anyText, format: 'binary' };
const addInputs = (name: string, items: JsonSchema, mask: JsonSchema): JsonSchema => ({
  ...GENERATION,
  required: ['prompt', name],
  properties: {
    ...GENERATION.properties,
    [name]: { type: 'array', items },
    mask: { ...mask, description: MASK },
  },
});
const EDIT_INPUT = object({ image_url: text({ description: 'A URL or a data URL.' }) });

/** Responses of requests that wait for their images. */
export const IMAGE_RESPONSES: Readonly<Record<string, JsonSchema>> = {
  200: {
    description: 'The images; with `stream` an event for each.',
    headers: {
      'x-gateway-unused': {
        description:
          'Fields of the request that the upstream did not use, such as `style, seed`. Absent where there are none.',
        schema: { type: 'string' },
      },
    },
    content: { 'application/json': { schema: images.json }, 'text/event-stream': {} },
  },
  202: describeJson('The task, as `POST /v1/generate` answers.', { type: 'object' }),
};

const urls = list(object({ url: text() }));

/** Task in the dialect of other gateways. */
export const facadeTask = named(
  'FacadeTask',
  object({
    id: text(),
    task_id: text({ description: 'The same.' }),
    object: literal('image.generation.task'),
    status: choice(['processing', 'completed', 'failed']),
    created_at: count,
    expires_at: count,
    poll_url: optional(text({ description: 'Path of the task; in the answer of a submit.' })),
    completed_at: optional(count),
    image_url: optional(text({ description: 'URL of the first image.' })),
    result: optional(object({ created: count, data: urls })),
    data: optional(describe(urls, 'The same list as in `result`.')),
    error: optional(describe(anyObject, 'Why the task failed.')),
  }),
);

/** Body of a generation. */
export const GENERATION_BODY = {
  required: true,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/FacadeGeneration' } } },
};

/** Body of an edit: a form, or JSON. */
export const EDIT_BODY = {
  required: true,
  content: {
    'multipart/form-data': { schema: { $ref: '#/components/schemas/FacadeEditForm' } },
    'application/json': { schema: { $ref: '#/components/schemas/FacadeEdit' } },
  },
};

/** Schemas of the operations in the protocol of OpenAI. */
export const facadeSchemas: Readonly<Record<string, JsonSchema>> = {
  FacadeError: error.definition,
  FacadeResponseFormat: RESPONSE_FORMAT,
  FacadeGeneration: GENERATION,
  FacadeEditForm: addInputs('image', FILE, FILE),
  FacadeEdit: addInputs('images', EDIT_INPUT.json, anyText),
  FacadeImages: images.definition,
  FacadeModel: facadeModel.definition,
  FacadeTask: facadeTask.definition,
};
