import { checkFields, type Violation } from '../core/check-fields.js';
import type { StubCall, StubContext, StubRequest } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { describeInput } from '../images/describe-input.js';
import type { ImageFormat } from '../images/draw-image.js';
import { checkOpenai } from './check-openai.js';
import { openaiError, openaiHeaders, openaiModelGone } from './openai-errors.js';
import { OPENAI_MODELS } from './openai-models.js';
import { COMPATIBLE_FIELDS, FIELDS_BY_MODEL } from './request-fields.js';

const TYPES = {
  unknown: 'extra_forbidden',
  missing: 'missing',
  type: 'type_error',
  enum: 'literal_error',
  range: 'value_error',
  length: 'string_too_long',
} as const;

/** Builds FastAPI's response to invalid fields. */
function compatibleViolations(violations: readonly Violation[]): StubResponse {
  return {
    status: 422,
    body: {
      detail: violations.map(({ path, fault, value }) => ({
        type: TYPES[fault],
        loc: ['body', ...path],
        msg: fault === 'missing' ? 'Field required' : 'Input should be valid',
        input: value,
      })),
    },
  };
}

const WRITTEN = /^(\d+)x(\d+)$/;
const STEP = 16;
const MAX_LONG = 3_840;
const MAX_SHORT = 2_160;
const MAX_RATIO = 3;

/**
 * Returns the size that `WxH` or `auto` means. Null when the newer models do not accept it: multiples of 16, at most
 * 1:3, at most 3840x2160.
 */
function parseImageSize(size: unknown, strict: boolean): { width: number; height: number } | null {
  if (size === undefined || size === 'auto') {
    return { width: 1_024, height: 1_024 };
  }
  const [, width = 0, height = 0] = (WRITTEN.exec(String(size)) ?? []).map(Number);
  if (width < 1 || height < 1) {
    return null;
  }
  if (!strict) {
    return { width, height };
  }
  const [long, short] = width > height ? [width, height] : [height, width];
  const fits =
    width % STEP === 0 &&
    height % STEP === 0 &&
    long <= MAX_LONG &&
    short <= MAX_SHORT &&
    long <= short * MAX_RATIO;
  return fits ? { width, height } : null;
}

const MODERATED =
  'Your request was rejected by the safety system. If you believe this is an error, contact us at help.openai.com and include the request ID. safety_violations=[violence].';

/** Answers a request for images, as OpenAI or as a server of the same protocol. */
export async function respondToImages(
  call: StubCall,
  request: StubRequest,
  context: StubContext,
  compatible: boolean,
): Promise<StubResponse> {
  const body = toRecord(call.body);
  const edits = request.path.endsWith('/edits');
  if (compatible) {
    const violations = checkFields(call.body, FIELDS_BY_MODEL[call.model ?? ''] ?? COMPATIBLE_FIELDS);
    if (violations.length > 0) {
      return compatibleViolations(violations);
    }
  } else {
    if (OPENAI_MODELS[call.model ?? ''] === undefined) {
      return openaiModelGone(call.model);
    }
    const fault = checkOpenai(call, edits);
    if (fault !== null) {
      return fault;
    }
  }
  const { width, height, size: given = width && `${width}x${height}` } = body;
  const size = parseImageSize(given, !compatible);
  if (size === null) {
    return compatible ? badSize(body.size) : invalidSize(body.size);
  }
  const inputs = await Promise.all(listInputs(call).map((input) => describeInput(input)));
  context.noteInputs(inputs.map(({ digest }) => digest));
  const { mode } = context.behaviour;
  const unreadable = inputs.findIndex(({ readable }) => !readable);
  if (mode === 'invalid-input' || unreadable !== -1) {
    return openaiError(400, {
      message: `Invalid image file or mode for image ${unreadable + 1}, please check your image file.`,
      type: 'image_generation_user_error',
      param: 'image',
      code: 'invalid_image_file',
    });
  }
  if (mode === 'moderation') {
    return openaiError(400, {
      message: MODERATED,
      type: 'image_generation_user_error',
      code: 'moderation_blocked',
      moderation_details: { moderation_stage: 'input', categories: ['violence'] },
    });
  }
  const asked = Number(body.n ?? 1);
  const fewer =
    mode === 'no-image' ? 0 : mode === 'fewer-images' ? (context.behaviour.images ?? asked - 1) : asked;
  const made = Math.max(0, fewer);
  context.bill(made);
  const format = String(body.output_format ?? 'png') as ImageFormat;
  const order = { ...size, format };
  const data = await Promise.all(Array.from({ length: made }, buildItem));
  return {
    status: 200,
    headers: compatible ? {} : openaiHeaders(),
    body: {
      created: Math.floor(Date.now() / 1_000),
      data,
      ...(!compatible && {
        background: 'opaque',
        output_format: format,
        quality: body.quality ?? 'auto',
        size: `${size.width}x${size.height}`,
        usage: buildUsage(made),
      }),
    },
  };

  async function buildItem(): Promise<object> {
    if (mode === 'invalid-base64') {
      return { b64_json: '*** no base64 ***' };
    }
    if (body.response_format === 'url') {
      return { url: `${request.origin}${context.images.keep('openai', order, context.behaviour)}` };
    }
    return { b64_json: (await context.images.make(order, context.behaviour)).toString('base64') };
  }
}

function listInputs({ files = [], body }: StubCall): (Buffer | string)[] {
  const { images, image, image_url: url } = toRecord(body);
  const given = [images, image, url].flat().filter((one) => one !== undefined);
  const named = given.map((one) => {
    const { image_url: address, url: same } = toRecord(one);
    return String(typeof one === 'string' ? one : (address ?? same));
  });
  return [...files.filter(({ field }) => field !== 'mask').map(({ bytes }) => bytes), ...named];
}

function invalidSize(size: unknown): StubResponse {
  return openaiError(400, {
    message: `Invalid size '${String(size)}'.`,
    type: 'image_generation_user_error',
    param: 'size',
    code: 'invalid_value',
  });
}

function badSize(size: unknown): StubResponse {
  return { status: 400, body: { detail: `Invalid size format: ${String(size)}. Expected WIDTHxHEIGHT.` } };
}

function buildUsage(images: number): object {
  const output = 1_584 * images;
  return {
    input_tokens: 17,
    input_tokens_details: { image_tokens: 0, text_tokens: 17 },
    output_tokens: output,
    total_tokens: 17 + output,
    output_tokens_details: { image_tokens: output, text_tokens: 0 },
  };
}
