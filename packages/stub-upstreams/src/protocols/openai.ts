import { randomBytes } from 'node:crypto';
import { ok, type StubCall, type StubResponse, toRecord } from '../core/call.js';
import { repeatAsync, type StubContext } from '../core/create-context.js';
import { checkFields } from '../core/fields.js';
import { readAuthorization, type StubProtocol } from '../core/protocol.js';
import { readReplies } from '../core/replies.js';
import type { ImageFormat } from '../images/draw-image.js';
import { COMPATIBLE_FIELDS, FIELDS_BY_MODEL, OPENAI_FIELDS } from './openai-fields.js';

/** Server that speaks OpenAI's protocol. */
export interface OpenaiServer {
  /** Answers requests for other models than OpenAI's as servers like vLLM-Omni do. */
  readonly compatible: boolean;
  /** Names of deployments, behind which is a model of OpenAI. */
  readonly deployments: readonly string[];
  /** Ends of models that the list states. */
  readonly ends: Readonly<Record<string, string>>;
}

/** The models for images of November 2026, with when they were made. */
const MODELS: Readonly<Record<string, number>> = {
  'gpt-image-2': 1_776_729_600,
  'gpt-image-2.5-flare': 1_788_825_600,
  'gpt-image-2.5-sunburst': 1_788_825_600,
  'gpt-image-2.6-flare': 1_793_750_400,
  'gpt-image-2.6-sunburst': 1_793_750_400,
};
const DEPLOYED = 'gpt-image-2';
const OWN_MODELS = /^(gpt-image|chatgpt-image|dall-e)/;
const FORM_NUMBERS =
  'n output_compression partial_images seed num_inference_steps guidance_scale true_cfg_scale'.split(' ');
const MAX_FILES = 16;
const FILE_TYPES = ['image/png', 'image/jpeg', 'image/webp'];
const STEP = 16;
const MAX_LONG = 3_840;
const MAX_SHORT = 2_160;
const MAX_RATIO = 3;

const listHeaders = () => ({
  'x-request-id': `req_${randomBytes(16).toString('hex')}`,
  'openai-processing-ms': '41822',
  'openai-version': '2020-10-01',
});

/** OpenAI's images and models, and those of servers that speak its protocol. */
export const createOpenaiProtocol = ({ compatible, deployments, ends }: OpenaiServer): StubProtocol => ({
  name: 'openai',
  readKey: (headers) => readAuthorization(headers),
  routes: [
    {
      at: /^GET (?:\/openai)?\/v1\/models(?:\/(?<model>[^/]+))?$/,
      kind: 'check',
      answer: (context) => listModels(context, ends),
    },
    {
      // Azure and ModelArk have the same API under other prefixes.
      at: /^POST (?:\/openai\/v1|\/v1|\/api\/v3)\/images\/(?:generations|edits)$/,
      kind: 'submit',
      formNumbers: FORM_NUMBERS,
      answer: (context) => {
        const model = deployments.includes(context.call.model ?? '') ? DEPLOYED : context.call.model;
        return draw(context, model, compatible && !OWN_MODELS.test(model ?? ''));
      },
    },
  ],
  // After answers that were seen.
  replies: readReplies('openai'),
});

/** OpenAI's images at Azure: the deployment stands in the path. */
export const createAzureProtocol = ({ deployments }: Pick<OpenaiServer, 'deployments'>): StubProtocol => ({
  name: 'azure-openai',
  readKey: (headers) => headers['api-key'] ?? null,
  routes: [
    {
      at: /^POST \/openai\/deployments\/(?<model>[^/]+)\/images\/(?:generations|edits)$/,
      kind: 'submit',
      formNumbers: FORM_NUMBERS,
      read: ({ model, prompt, n: asked }, { query }) =>
        query.has('api-version') ? { model, prompt, asked } : null,
      answer: (context) => {
        const isKnown = deployments.length === 0 || deployments.includes(context.call.model ?? '');
        return isKnown ? draw(context, DEPLOYED, false) : context.reply('model-gone');
      },
    },
  ],
  // learn.microsoft.com, quotas and errors of Azure OpenAI; otherwise as OpenAI does.
  replies: readReplies('openai', 'azure-openai'),
});

function listModels({ call, reply }: StubContext, ends: OpenaiServer['ends']): StubResponse {
  const data = Object.entries(MODELS).map(([id, created]) => ({
    id,
    object: 'model',
    created,
    owned_by: 'system',
    shutdown_date: ends[id] ?? null,
  }));
  const found = call.model === null ? { object: 'list', data } : data.find(({ id }) => id === call.model);
  return found === undefined ? reply('not-listed') : ok(found, listHeaders());
}

/** Answers a request for images, as OpenAI or as a server of the same protocol. */
async function draw(
  context: StubContext,
  model: string | null,
  isCompatible: boolean,
): Promise<StubResponse> {
  const { call, mode, request } = context;
  const body = toRecord(call.body);
  const isEdit = request.path.endsWith('/edits');
  const fault = isCompatible ? checkCompatible(call.body, model) : checkOpenai(context, model, isEdit);
  if (fault !== null) {
    return fault;
  }
  const { width, height, quality = 'auto', size: given = width && `${width}x${height}` } = body;
  const size = parseImageSize(given, !isCompatible);
  if (size === null) {
    const said = String(body.size);
    return isCompatible
      ? { status: 400, body: { detail: `Invalid size format: ${said}. Expected WIDTHxHEIGHT.` } }
      : context.reply('bad-size', { size: said });
  }
  const bad = await context.readInputs(listInputs(call));
  if (bad !== null) {
    return context.reply('invalid-input', { place: bad + 1 });
  }
  if (mode === 'moderation') {
    return context.reply('moderation');
  }
  const made = context.bill(call.asked);
  const format = String(body.output_format ?? 'png') as ImageFormat;
  const order = { ...size, format };
  const isLinked = body.response_format === 'url' && mode !== 'invalid-base64';
  const data = await repeatAsync(made, async () =>
    isLinked ? { url: context.keep(order) } : { b64_json: await context.encode(order) },
  );
  const answer = { created: Math.floor(Date.now() / 1_000), data };
  if (isCompatible) {
    return ok(answer);
  }
  const written = `${size.width}x${size.height}`;
  const shape = { background: 'opaque', output_format: format, quality, size: written };
  return ok({ ...answer, ...shape, usage: countTokens(made) }, listHeaders());
}

function countTokens(images: number): object {
  const output = 1_584 * images;
  return {
    input_tokens: 17,
    input_tokens_details: { image_tokens: 0, text_tokens: 17 },
    output_tokens: output,
    total_tokens: 17 + output,
    output_tokens_details: { image_tokens: output, text_tokens: 0 },
  };
}

function listInputs({ files = [], body }: StubCall): unknown[] {
  const { images, image, image_url: url } = toRecord(body);
  const named = [images, image, url].flat().flatMap((one) => {
    const { image_url: address, url: same } = toRecord(one);
    return one === undefined ? [] : [typeof one === 'string' ? one : (address ?? same)];
  });
  return [...files.filter(({ field }) => field !== 'mask').map(({ bytes }) => bytes), ...named];
}

/**
 * Returns the size that `WxH` or `auto` means. Null when the newer models do not accept it: multiples of 16, at most
 * 1:3, at most 3840x2160.
 */
function parseImageSize(size: unknown, isStrict: boolean): { width: number; height: number } | null {
  if (size === undefined || size === 'auto') {
    return { width: 1_024, height: 1_024 };
  }
  const [, width = 0, height = 0] = (/^(\d+)x(\d+)$/.exec(String(size)) ?? []).map(Number);
  const [long, short] = width > height ? [width, height] : [height, width];
  const isNormal = width % STEP === 0 && height % STEP === 0 && long <= MAX_LONG && short <= MAX_SHORT;
  const isGood = short >= 1 && (!isStrict || (isNormal && long <= short * MAX_RATIO));
  return isGood ? { width, height } : null;
}

const FASTAPI_TYPES = {
  unknown: 'extra_forbidden',
  missing: 'missing',
  type: 'type_error',
  enum: 'literal_error',
  range: 'value_error',
  length: 'string_too_long',
} as const;

/** Checks a request as FastAPI does; null when it is valid. */
function checkCompatible(body: unknown, model: string | null): StubResponse | null {
  const violations = checkFields(body, FIELDS_BY_MODEL[model ?? ''] ?? COMPATIBLE_FIELDS);
  const detail = violations.map(({ path, fault, value }) => ({
    type: FASTAPI_TYPES[fault],
    loc: ['body', ...path],
    msg: fault === 'missing' ? 'Field required' : 'Input should be valid',
    input: value,
  }));
  return detail.length === 0 ? null : { status: 422, body: { detail } };
}

/** Checks a request as OpenAI does; null when it is valid. */
function checkOpenai(
  { call, reply }: StubContext,
  model: string | null,
  isEdit: boolean,
): StubResponse | null {
  const { body, files } = call;
  if (MODELS[model ?? ''] === undefined) {
    return reply('model-gone', { model });
  }
  const refuse = (message: string, code: string, param = 'image') =>
    reply('invalid', { message, code, param });
  const unknown = (param: string) => refuse(`Unknown parameter: '${param}'.`, 'unknown_parameter', param);
  const missing = (param: string) =>
    refuse(`Missing required parameter: '${param}'.`, 'missing_required_parameter', param);
  const kind = !isEdit ? 'generation' : files === undefined ? 'json' : 'form';
  const [violation] = checkFields(body, OPENAI_FIELDS[kind]);
  if (violation !== undefined) {
    const { fault, value } = violation;
    const param = violation.path.join('.');
    if (fault === 'unknown' || fault === 'missing') {
      return fault === 'unknown' ? unknown(param) : missing(param);
    }
    const code = fault === 'type' ? 'invalid_type' : 'invalid_value';
    return refuse(`Invalid value for '${param}': ${JSON.stringify(value).slice(0, 80)}.`, code, param);
  }
  if (!isEdit || files === undefined) {
    return null;
  }
  const stranger = files.find(({ field }) => !['image', 'image[]', 'mask'].includes(field));
  if (stranger !== undefined) {
    return unknown(stranger.field);
  }
  const images = files.filter(({ field }) => field !== 'mask');
  if (images.length === 0) {
    return missing('image');
  }
  if (images.length > 1 && images.some(({ field }) => field === 'image')) {
    const message = "Duplicate parameter: 'image'. Use the array syntax instead e.g. 'image[]=<value>'.";
    return refuse(message, 'duplicate_parameter');
  }
  if (images.length > MAX_FILES) {
    return refuse(`Too many images: at most ${MAX_FILES}.`, 'array_above_max_length');
  }
  const odd = images.find(({ type }) => !FILE_TYPES.includes(type));
  return odd === undefined
    ? null
    : refuse(`Invalid file 'image': unsupported mimetype ('${odd.type}').`, 'unsupported_file_mimetype');
}
