import Joi from 'joi';
import { TASK_ERROR_CLASSES, TASK_PRESET_NAMES, type TaskSettings } from '../../upstreams/index.js';

const MAX_TEXT = 500;
const text = Joi.string().min(1).max(MAX_TEXT);
const matching = (pattern: RegExp, rule: string) =>
  Joi.string()
    .max(MAX_TEXT)
    .pattern(pattern)
    .messages({ '*': `{{#label}} ${rule}` });
const path = matching(/^\/[\x21-\x7e]*$/, 'must begin with a slash and have no spaces, such as /tasks/{id}');
const jsonPath = matching(/^\$/, 'must be a JSONPath of RFC 9535, such as $.data.id');
/** Object with these fields; a fault names no others. */
const section = (given: Joi.SchemaMap) => Joi.object(given).messages({ 'object.unknown': 'unknown field' });
const words = Joi.array().items(text).max(50).unique();
const headerName =
  /^(?!(?:host|connection|content-length|content-type|transfer-encoding)$)[A-Za-z0-9-]{1,100}$/i;
const body = Joi.object().min(1).max(100).unknown();

/** Fields of a provider instance that describe a task API; other protocols have none of them. */
export const taskFields = {
  preset: Joi.string()
    .valid(...TASK_PRESET_NAMES)
    .description(
      'Task APIs: a vendor whose API is known; sections given beside it replace those of the preset',
    ),
  submit: section({
    path: path.required(),
    headers: Joi.object().pattern(headerName, matching(/^[\x20-\x7e]*$/, 'must be visible ASCII')),
    body: body.required(),
    edit: section({ path: path.required(), body: body.required() }).description('Another request for edits'),
    id: jsonPath.required(),
  }).description('Task APIs: the submission, a body with placeholders such as {prompt}'),
  poll: section({
    path: path.required(),
    status: jsonPath.required(),
    running: words.required(),
    done: words.min(1).required(),
    failed: words.required(),
    parse: jsonPath.description('Text that holds the JSON from which `images` are selected'),
    images: jsonPath.required(),
    error: jsonPath.required(),
    code: jsonPath,
    cost: jsonPath.description('Dollars, or units of cost_unit'),
  }).description('Task APIs: the state of a job, by GET'),
  cancel: section({
    method: Joi.string().valid('POST', 'PUT', 'DELETE').required(),
    path: path.required(),
  }),
  auth: section({
    header: matching(headerName, 'must be the name of a header').required(),
    prefix: Joi.string().allow('').max(50).description('Before the key; none unless given'),
  }).description('Task APIs: the header of the key; default Authorization with Bearer'),
  inputs: section({
    upload: section({
      path: path.required(),
      field: text.required(),
      url: jsonPath.required(),
    }).required(),
  }).description('Task APIs: input images are uploaded first; default: data URLs in the body'),
  codes: section(Object.fromEntries(TASK_ERROR_CLASSES.map((name) => [name, words]))).description(
    'Task APIs: error codes, or phrases of error texts, by what they mean',
  ),
  cost_unit: matching(
    /^(?!0+(\.0+)?$)\d{1,6}(\.\d{1,6})?$/,
    'must be dollars above 0 with at most six decimals in quotes, such as "0.005"',
  ).description('Task APIs: dollars of a unit of cost'),
  idempotent: Joi.boolean().description(
    'Task APIs: a repeated submission with the same {call} starts nothing anew',
  ),
} as const satisfies Readonly<Record<keyof TaskSettings, Joi.Schema>>;
