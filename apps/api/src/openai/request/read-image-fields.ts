import {
  BACKGROUNDS,
  type Background,
  LIMITS,
  type Metadata,
  type Preferences,
  sortMetadata,
} from '@image-gateway/shared/contract';
import { findConflict, PREFERENCE_NAMES, readPreference } from '@image-gateway/shared/task';
import { characterRule, explainText, isMetadata, textSchema } from '@image-gateway/shared/validation';
import Joi from 'joi';
import { FieldError, invalidField } from '../../file/uploads/field-error.js';

/** Fields of a request that are refused where they are not valid. */
interface StrictFields {
  readonly prompt: string;
  readonly negative_prompt?: string;
  readonly model?: string;
  readonly n: number;
  /** Such as `1024x1024` or `16:9`. */
  readonly size?: string;
  readonly aspect_ratio?: string;
  readonly resolution?: string;
  readonly response_format: 'b64_json' | 'url';
  readonly stream: boolean;
  readonly async: boolean;
  readonly user?: string;
  /** OpenAI's later name of `user`. */
  readonly safety_identifier?: string;
  readonly webhook_url?: string;
}

/**
 * Fields of a request that the facade understands, as they were given; `auto`, null and empty values are absent. A preference
 * is null where no route understands its value.
 */
export interface ImageFields extends StrictFields, Omit<Preferences, 'background'> {
  readonly background?: Background | null;
  /** Absent where it does not fit: other APIs take more than a task can have. */
  readonly metadata?: Metadata;
}

/** Fields that releases before these ignored. */
export const ADDED_FIELDS = [
  ...PREFERENCE_NAMES,
  'background',
  'metadata',
  'webhook_url',
  'safety_identifier',
] as const;

/** Longest prompt of the facade in characters. */
const MAX_PROMPT = 32_000;
const MAX_IMAGES = 10;

const TEXT = Joi.string();
const RULES: Readonly<Record<keyof StrictFields, readonly [schema: Joi.Schema, rule: string]>> = {
  prompt: [
    textSchema(characterRule({ max: MAX_PROMPT, visible: true })).required(),
    `a string of 1 to ${MAX_PROMPT} characters, not only white space, without NUL characters and unpaired surrogates`,
  ],
  negative_prompt: [
    textSchema(characterRule({ max: LIMITS.negativePromptCharacters })),
    `a string of at most ${LIMITS.negativePromptCharacters} characters, without NUL characters and unpaired surrogates`,
  ],
  model: [
    TEXT.description('ID or alias; the default model unless given.'),
    'a string; GET /openai/v1/models lists them',
  ],
  n: [Joi.number().integer().min(1).max(MAX_IMAGES).default(1), `an integer from 1 to ${MAX_IMAGES}`],
  size: [
    TEXT.pattern(/^(auto|[1-9]\d{0,4}x[1-9]\d{0,4}|[1-9]\d?:[1-9]\d?)$/).description(
      '`auto`, `WxH`: the nearest ratio and resolution are drawn, or a ratio such as `16:9`.',
    ),
    '"auto", width and height such as "1024x1024", or a ratio such as "16:9"',
  ],
  aspect_ratio: [TEXT.description('Such as `16:9`; wins over `size`.'), 'a string such as "16:9"'],
  resolution: [TEXT.description('`1k`, `2k` or `4k`; wins over `size`.'), 'a string such as "2k"'],
  response_format: [TEXT.valid('b64_json', 'url').default('b64_json'), '"b64_json" or "url"'],
  stream: [Joi.boolean().default(false).description('Answers with server-sent events.'), 'true or false'],
  async: [
    Joi.boolean().default(false).description('Answers with the `202` of `POST /v1/generate`.'),
    'true or false',
  ],
  user: [TEXT.description('Becomes `metadata.user` of the task, unless that is given.'), 'a string'],
  safety_identifier: [TEXT.description('The same, where `user` is absent.'), 'a string'],
  webhook_url: [
    TEXT.description('Called when the task has completed or failed, as that of `POST /v1/generate`.'),
    'a string',
  ],
};
const FIELDS = Object.keys(RULES) as (keyof StrictFields)[];
/** Schema of the fields that are refused where they are not valid; the OpenAPI document follows from it. */
export const STRICT_FIELDS: Joi.ObjectSchema<StrictFields> = Joi.object<StrictFields>(
  Object.fromEntries(FIELDS.map((name) => [name, RULES[name][0]])),
).prefs({ abortEarly: true });

/**
 * Reads the fields of a JSON body, or of a form, whose values are texts. Fields that it does not understand are ignored. Throws
 * FieldError.
 */
export function readImageFields(body: unknown, { isForm = false } = {}): ImageFields {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new FieldError('BAD_REQUEST', { publicMessage: 'The body must be a JSON object.' });
  }
  const read = (name: string): unknown => {
    const value = Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined;
    return value === null || value === 'auto' || (value === '' && name !== 'prompt') ? undefined : value;
  };
  // In JSON it is a data URL, which is read with the images.
  if (isForm && read('mask') !== undefined) {
    throw invalidField('mask', 'mask must be a file of the form.');
  }
  const given: Record<string, unknown> = {};
  for (const name of FIELDS) {
    const value = name === 'prompt' && Object.hasOwn(body, name) ? (body as ImageFields).prompt : read(name);
    if (value !== undefined) {
      given[name] = value;
    }
  }
  const { error, value } = STRICT_FIELDS.validate(given, { convert: isForm });
  if (error) {
    const name = error.details[0]?.path[0] as keyof StrictFields;
    const message = `${name} must be ${RULES[name][1]}.`;
    throw invalidField(name, explainText({ name, message, value: given[name] }));
  }
  const preferred = PREFERENCE_NAMES.filter((name) => read(name) !== undefined);
  const preferences: Preferences = Object.fromEntries(
    preferred.map((name) => [name, readPreference(name, read(name), { isForm })]),
  );
  const background = readBackground(read('background'));
  const conflict = findConflict({ ...preferences, background });
  if (conflict !== null) {
    throw invalidField('background', conflict);
  }
  const metadata = readMetadata(read('metadata'), { isForm });
  return {
    ...value,
    ...preferences,
    ...(background !== undefined && { background }),
    ...(metadata && { metadata }),
  };
}

/** Names under which other dialects ask to be called back. */
const CALLBACKS = ['callback_url', 'callbackUrl', 'callBackUrl', 'notify_url', 'webhook', 'webhookUrl'];

/** Lists fields that have no effect where a task is answered in place of images: images come as URLs, and `webhook_url` is called. */
export function listIgnoredByAsync(body: unknown): string[] {
  const given = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const ignored = CALLBACKS.filter((name) => Object.hasOwn(given, name) && given[name] !== null);
  return given.response_format === 'b64_json' ? [...ignored, 'response_format'] : ignored;
}

/** Returns the metadata of the task of a request: what was given, and its `user`. */
export function joinMetadata({
  metadata = {},
  safety_identifier: identifier,
  user = identifier,
}: ImageFields): Metadata | null {
  const joined = user === undefined || Object.hasOwn(metadata, 'user') ? metadata : { ...metadata, user };
  const fitting = isMetadata(joined) ? joined : metadata;
  return Object.keys(fitting).length === 0 ? null : sortMetadata(fitting);
}

/** Reads metadata, in a form from JSON; null for what is none. */
function readMetadata(value: unknown, { isForm }: { readonly isForm: boolean }): Metadata | null {
  const given = isForm && typeof value === 'string' ? parseJson(value) : value;
  return isMetadata(given) && Object.keys(given).length > 0 ? sortMetadata(given) : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null; // It is not metadata.
  }
}

function readBackground(value: unknown): Background | null | undefined {
  return value === undefined ? undefined : (BACKGROUNDS.find((one) => one === value) ?? null);
}
