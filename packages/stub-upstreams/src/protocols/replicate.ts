import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ok, type StubResponse, toList, toRecord } from '../core/call.js';
import { NO_BASE64, type StubContext } from '../core/create-context.js';
import type { Job } from '../core/create-jobs.js';
import {
  anything,
  checkFields,
  type Fields,
  fields,
  flag,
  list,
  must,
  one,
  text,
  type Violation,
} from '../core/fields.js';
import { type Route, readAuthorization, type StubProtocol, withJob } from '../core/protocol.js';
import { readReplies } from '../core/replies.js';
import { getGoogleSize } from '../images/get-google-size.js';

const first = fields(
  [must(text), 'prompt'],
  [list(text, 0, 14), 'image_input'],
  [one('match_input_image 1:1 2:3 3:2 3:4 4:3 4:5 5:4 9:16 16:9 21:9'), 'aspect_ratio'],
  [one('jpg png'), 'output_format'],
);
const resolution = one('1K 2K 4K');
const two = { ...first, resolution, google_search: flag, image_search: flag };
/** The models with the fields of their inputs, as their pages describe them (that of 2.1 is taken to be like its predecessor's). */
const MODELS: Readonly<Record<string, Fields>> = {
  'google/nano-banana': first,
  'google/nano-banana-pro': {
    ...first,
    resolution,
    safety_filter_level: one('block_low_and_above block_medium_and_above block_only_high'),
    allow_fallback_model: flag,
  },
  'google/nano-banana-2': two,
  'google/nano-banana-2.1': two,
};
const PREDICTION = fields(
  [must(anything), 'input'],
  [text, 'version webhook'],
  [flag, 'stream'],
  [list(one('start output logs completed')), 'webhook_events_filter'],
);
const PREFER = /^wait(?:=(\d+))?$/;
const MAX_WAIT_S = 60;
/** A timer may fire a millisecond before the clock shows its time; the prediction would then still be `processing`. */
const EARLY_TIMER_MS = 1;
const PROCESSING_SHARE = 0.3;

const readPrompt: Route['read'] = ({ input }) => ({ prompt: toRecord(input).prompt });

/** Replicate's predictions: create, read, cancel; the account, the models, and storage for input files. */
export const replicateProtocol: StubProtocol = {
  name: 'replicate',
  readKey: (headers) => readAuthorization(headers, 'Bearer|Token'),
  routes: [
    { at: /^GET \/v1\/predictions\/(?<job>[^/]+)$/, kind: 'poll', answer: withJob(follow) },
    { at: /^POST \/v1\/predictions\/(?<job>[^/]+)\/cancel$/, kind: 'cancel', answer: withJob(follow) },
    { at: /^GET \/v1\/account$/, kind: 'check', answer: ({ reply }) => reply('account') },
    { at: /^GET \/v1\/models\/(?<model>[^/]+\/[^/]+)$/, kind: 'check', answer: getModel },
    { at: /^POST \/v1\/files$/, kind: 'check', answer: upload },
    {
      at: /^\w+ \/v1\/(account|files|files\/[^/]+|models\/[^/]+\/[^/]+)$/,
      kind: 'check',
      answer: ({ reply }) => reply('model-gone'),
    },
    {
      at: /^POST \/v1\/models\/(?<model>[^/]+\/[^/]+)\/predictions$/,
      kind: 'submit',
      read: readPrompt,
      answer: (context) => create(context, 'model-gone'),
    },
    {
      at: /^POST \/v1\/predictions$/,
      kind: 'submit',
      read: (json, request) => ({ ...readPrompt(json, request), model: json.version }),
      answer: (context) => create(context, 'no-version'),
    },
  ],
  // After answers that were seen.
  replies: readReplies('replicate'),
};

async function create(context: StubContext, unknown: string): Promise<StubResponse> {
  const { call, request } = context;
  const rules = MODELS[call.model ?? ''];
  if (rules === undefined) {
    return context.reply(unknown);
  }
  const outer = checkFields(call.body, PREDICTION);
  const input = toRecord(toRecord(call.body).input);
  const faults = outer.length > 0 ? outer : checkFields(input, rules);
  if (faults.length > 0) {
    return refuseFields(context, faults, outer.length > 0 ? '' : 'input');
  }
  const { prefer } = request.headers;
  const [wait, seconds = MAX_WAIT_S] = PREFER.exec(prefer ?? '') ?? [];
  const waitMs = prefer === undefined ? 0 : Number(seconds) * 1_000;
  if (prefer !== undefined && !(wait && waitMs >= 1_000 && waitMs <= MAX_WAIT_S * 1_000)) {
    return context.reply('invalid', { message: `Invalid Prefer header: ${prefer}` });
  }
  const job = context.addJob(input, (ready) => draw(context, ready));
  if (waitMs > 0) {
    const leftMs = job.readyAt - Date.now() + EARLY_TIMER_MS;
    await sleep(Math.max(0, Math.min(waitMs, leftMs)), undefined, { ref: false });
  }
  return { status: 201, body: await showPrediction(job, request.origin) };
}

function refuseFields(
  { reply }: StubContext,
  violations: readonly Violation[],
  within: string,
): StubResponse {
  const invalid_fields = violations.map(({ path, fault, rule, value }) => {
    const name = String(path.at(-1) ?? within);
    const choice = rule?.allowed?.map((allowed) => `"${allowed}"`).join(', ');
    const wrong = choice
      ? `${name} must be one of the following: ${choice}`
      : `Invalid type. Expected: ${rule?.type ?? 'value'}, given: ${typeof value}`;
    const [type, description] = {
      unknown: ['additional_property_not_allowed', `Additional property ${name} is not allowed`],
      missing: ['required', `${name} is required`],
      enum: ['enum', wrong],
      type: ['invalid_type', wrong],
      range: ['invalid_type', wrong],
      length: ['invalid_type', wrong],
    }[fault];
    return { type, field: [within, ...path].filter((each) => each !== '').join('.'), description };
  });
  const detail = invalid_fields.map(({ field, description }) => `- ${field}: ${description}\n`).join('');
  return reply('invalid-fields', { detail, invalid_fields });
}

/** Ends a prediction: the fields of it that say how, as the body. Bills the image. */
async function draw(context: StubContext, { input, model }: Job): Promise<StubResponse> {
  const { mode } = context;
  if ((await context.readInputs(toList(input.image_input))) !== null) {
    return context.reply('invalid-input');
  }
  if (mode === 'moderation') {
    return context.reply('moderation');
  }
  if (context.bill(1) === 0) {
    return context.reply('no-image');
  }
  // The default of the pro model is 2K, as its page says.
  const size = input.resolution ?? (model === 'google/nano-banana-pro' ? '2K' : '1K');
  const format = input.output_format === 'png' ? 'png' : 'jpeg';
  const isInline = mode === 'invalid-base64';
  return ok({
    status: 'succeeded',
    output: isInline
      ? `data:image/png;base64,${NO_BASE64}`
      : context.keep({ ...getGoogleSize(input.aspect_ratio, size), format }),
  });
}

/** Shows a prediction as it is just now; input images that were sent along stand in it as addresses. */
async function showPrediction(job: Job, origin: string): Promise<object> {
  const { id, model, createdAt, readyAt, canceledAt, behaviour } = job;
  const now = Date.now();
  const isEnded = canceledAt === null && now >= readyAt;
  const isStarting = now < createdAt + (readyAt - createdAt) * PROCESSING_SHARE;
  const status = canceledAt !== null ? 'canceled' : isStarting ? 'starting' : 'processing';
  const outcome = isEnded ? (await job.result).body : {};
  const isRemoved = isEnded && behaviour.mode === 'output-gone';
  const { image_input: images, ...rest } = job.input;
  const image_input = toList(images).map((image, index) =>
    String(image).startsWith('data:') ? `${origin}/pbxt/${id}/${index}.png` : image,
  );
  const get = `${origin}/v1/predictions/${id}`;
  const toDate = (time: number) => new Date(time).toISOString();
  return {
    id,
    model,
    version: 'hidden',
    input: { ...rest, ...(Array.isArray(images) && { image_input }) },
    logs: '',
    output: null,
    error: null,
    source: 'api',
    status,
    ...outcome,
    ...(isRemoved && { output: null, input: {} }),
    data_removed: isRemoved,
    created_at: toDate(createdAt),
    ...(status !== 'starting' && { started_at: toDate(createdAt) }),
    ...((isEnded || canceledAt !== null) && { completed_at: toDate(canceledAt ?? now) }),
    ...(isEnded && { metrics: { predict_time: (readyAt - createdAt) / 1000, image_output_count: 1 } }),
    urls: {
      get,
      cancel: `${get}/cancel`,
      stream: `${origin}/stream/${id}`,
      web: `https://replicate.com/p/${id}`,
    },
  };
}

async function follow(context: StubContext, job: Job): Promise<StubResponse> {
  if (context.call.kind === 'cancel' && Date.now() < job.readyAt) {
    job.canceledAt ??= Date.now();
  }
  return ok(await showPrediction(job, context.request.origin));
}

function getModel({ call: { model }, reply }: StubContext): StubResponse {
  const [owner, name] = model?.split('/') ?? [];
  return MODELS[model ?? ''] === undefined ? reply('model-gone') : reply('model', { owner, name });
}

async function upload({ request, uploads, readFile, reply }: StubContext): Promise<StubResponse> {
  const file = await readFile('content');
  if (file === undefined) {
    return reply('invalid', { message: 'Missing content' });
  }
  const id = randomUUID();
  const get = `${request.origin}/v1/files/${id}`;
  uploads.set(get, file);
  const { name, type: content_type, bytes } = file;
  return { status: 201, body: { id, name, content_type, size: bytes.length, metadata: {}, urls: { get } } };
}
