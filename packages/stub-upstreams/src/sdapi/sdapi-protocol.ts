import { checkFields, type FieldRule } from '../core/check-fields.js';
import type { StubCall, StubContext, StubProtocol, StubRequest } from '../core/protocol.js';
import { readJson } from '../core/read-json.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { describeInput } from '../images/describe-input.js';
import { sdapiError, sdapiRefusal, sdapiViolations, sdapiWrongKey } from './sdapi-errors.js';

const DRAW = /^\/sdapi\/v1\/(txt2img|img2img)$/;
const MODELS = '/sdapi/v1/sd-models';
const CHECKPOINTS = ['sd_xl_base_1.0', 'flux1-dev-Q8_0'];

const text: FieldRule = { type: 'string' };
const whole: FieldRule = { type: 'integer' };
const flag: FieldRule = { type: 'boolean' };
// modules/api/models.py of AUTOMATIC1111, as far as a gateway sends them.
const DRAWING: Readonly<Record<string, FieldRule>> = {
  prompt: text,
  negative_prompt: text,
  seed: whole,
  width: { ...whole, min: 64 },
  height: { ...whole, min: 64 },
  steps: { ...whole, min: 1, max: 150 },
  cfg_scale: { type: 'number' },
  sampler_name: text,
  scheduler: text,
  denoising_strength: { type: 'number' },
  batch_size: { ...whole, min: 1 },
  n_iter: { ...whole, min: 1 },
  send_images: flag,
  save_images: flag,
  override_settings: { type: 'object' },
  override_settings_restore_afterwards: flag,
};
const EDITING: Readonly<Record<string, FieldRule>> = {
  ...DRAWING,
  init_images: { type: 'array', required: true, min: 1, items: text },
  mask: text,
  mask_blur: whole,
  resize_mode: { ...whole, min: 0, max: 3 },
  include_init_images: flag,
  inpainting_fill: whole,
};

/** The API of Stable Diffusion web UIs. */
export const sdapiProtocol: StubProtocol = {
  name: 'sdapi',
  read: (request) => Promise.resolve(readCall(request)),
  wrongKey: sdapiWrongKey,
  refuse: sdapiRefusal,
  answer: (call, request, context) =>
    call.kind === 'check' ? Promise.resolve(listModels()) : draw(call, request, context),
};

function readCall({ method, path, headers, body }: StubRequest): StubCall | null {
  const key = readKey(headers.authorization ?? '');
  if (method === 'GET' && path === MODELS) {
    return { kind: 'check', key, model: null, prompt: null, asked: 0, job: null, body: undefined };
  }
  if (method !== 'POST' || !DRAW.test(path)) {
    return null;
  }
  const json = readJson(body);
  const { prompt, n_iter: count = 1, override_settings: settings } = toRecord(json);
  const { sd_model_checkpoint: model } = toRecord(settings);
  return {
    kind: 'submit',
    key,
    job: null,
    body: json,
    asked: Number(count),
    model: typeof model === 'string' ? model : null,
    prompt: typeof prompt === 'string' ? prompt : null,
  };
}

function readKey(header: string): string {
  const [, scheme, value = ''] = /^(Bearer|Basic) (.+)$/.exec(header) ?? [];
  return scheme === 'Basic' ? Buffer.from(value, 'base64').toString() : value;
}

function listModels(): StubResponse {
  return {
    status: 200,
    body: CHECKPOINTS.map((model_name) => ({ title: `${model_name}.safetensors`, model_name })),
  };
}

async function draw(
  { body, model }: StubCall,
  { path }: StubRequest,
  context: StubContext,
): Promise<StubResponse> {
  const isEdit = path.endsWith('/img2img');
  const violations = checkFields(body, isEdit ? EDITING : DRAWING);
  if (violations.length > 0) {
    return sdapiViolations(violations);
  }
  const fields = toRecord(body);
  const given: readonly unknown[] = Array.isArray(fields.init_images) ? fields.init_images : [];
  const inputs = await Promise.all(given.map((one) => describeInput(Buffer.from(String(one), 'base64'))));
  context.noteInputs(inputs.map(({ digest }) => digest));
  const { mode, images = Number(fields.n_iter ?? 1) - 1 } = context.behaviour;
  if (mode === 'invalid-input' || inputs.some(({ readable }) => !readable)) {
    return sdapiError(500, 'HTTPException', 'Invalid encoded image');
  }
  if (mode === 'moderation') {
    return sdapiError(400, 'HTTPException', 'NSFW content detected');
  }
  const count = Number(fields.n_iter ?? 1);
  const made = mode === 'no-image' ? 0 : mode === 'fewer-images' ? Math.max(0, images) : count;
  context.bill(made);
  const order = { width: Number(fields.width), height: Number(fields.height), format: 'png' } as const;
  const data = await Promise.all(
    Array.from({ length: made }, async () =>
      mode === 'invalid-base64'
        ? '*** no base64 ***'
        : (await context.images.make(order, context.behaviour)).toString('base64'),
    ),
  );
  const first = Number(fields.seed ?? -1) === -1 ? 1_234 : Number(fields.seed);
  const info = {
    all_seeds: data.map((_, index) => first + index),
    sd_model_name: model,
    index_of_first_image: 0,
  };
  return { status: 200, body: { images: data, parameters: {}, info: JSON.stringify(info) } };
}
