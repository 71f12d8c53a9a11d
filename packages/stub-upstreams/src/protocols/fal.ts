import { ok, readJson, type StubResponse, toRecord } from '../core/call.js';
import { repeatAsync, type StubContext } from '../core/create-context.js';
import type { Job } from '../core/create-jobs.js';
import {
  between,
  checkFields,
  type Fields,
  fields,
  flag,
  list,
  must,
  one,
  record,
  text,
  type Violation,
  whole,
} from '../core/fields.js';
import { readAuthorization, type StubProtocol, withJob } from '../core/protocol.js';
import { readReplies } from '../core/replies.js';
import type { ImageFormat } from '../images/draw-image.js';
import { getGoogleSize } from '../images/get-google-size.js';

const QUEUED_SHARE = 0.3;

const RATIOS = '21:9 16:9 3:2 4:3 5:4 1:1 4:5 3:4 2:3 9:16';
const common = fields(
  [must(text), 'prompt'],
  [between(1, 4), 'num_images'],
  [one('jpeg png webp'), 'output_format'],
  [one('1 2 3 4 5 6'), 'safety_tolerance'],
  [whole, 'seed'],
  [flag, 'sync_mode limit_generations'],
);
const first = { ...common, aspect_ratio: one(RATIOS) };
const pro = {
  ...common,
  aspect_ratio: one(`${RATIOS} auto`),
  resolution: one('1K 2K 4K'),
  enable_web_search: flag,
};
const two = {
  ...pro,
  aspect_ratio: one(`${RATIOS} auto 4:1 1:4 8:1 1:8`),
  resolution: one('0.5K 1K 2K 4K'),
  thinking_level: one('minimal high'),
};
const side = must(between(1, 14_142));
// FLUX and Seedream take pixels and no ratio.
const pixels = {
  image_size: record({ width: side, height: side }),
  enable_safety_checker: flag,
  seed: whole,
};
const guided = { enable_prompt_expansion: flag, guidance_scale: between(1, 20, 'number') };
const flux = {
  ...pixels,
  ...guided,
  prompt: must(text),
  num_images: between(1, 4),
  output_format: one('jpeg png'),
  num_inference_steps: between(1, 50),
  sync_mode: flag,
};
const kontext = { ...first, ...guided };
const seedream = { ...pixels, prompt: must(text), num_images: between(1, 6) };
const edit = (of: Fields): Fields => ({ ...of, image_urls: must(list(text, 1, 14)) });

/** The endpoints with the fields of their requests (`@fal-ai/client` 1.10.1; that of 2.1 is taken to be like its predecessor's). */
const APPS: Readonly<Record<string, Fields>> = {
  'fal-ai/nano-banana': first,
  'fal-ai/nano-banana/edit': edit({ ...first, aspect_ratio: one(`${RATIOS} auto`) }),
  'fal-ai/nano-banana-pro': pro,
  'fal-ai/nano-banana-pro/edit': edit(pro),
  'fal-ai/nano-banana-2': two,
  'fal-ai/nano-banana-2/edit': edit(two),
  'google/nano-banana-2.1': two,
  'google/nano-banana-2.1/edit': edit(two),
  'google/nano-banana-2-lite': first,
  'fal-ai/flux/dev': flux,
  // fal.ai/models, November 2026: edits of these have endpoints and fields of their own.
  'fal-ai/flux-pro/kontext/text-to-image': kontext,
  'fal-ai/flux-pro/kontext': { ...kontext, image_url: must(text) },
  'fal-ai/bytedance/seedream/v4.5/text-to-image': seedream,
  'fal-ai/bytedance/seedream/v4.5/edit': edit(seedream),
};

/** An error of the model about a field, which stands in the result of a job. */
const modelError = (type: string, msg: string, path: Violation['path'], more = {}): StubResponse => ({
  status: 422,
  headers: { 'x-fal-retryable': 'false' },
  body: {
    detail: [{ loc: ['body', ...path], msg, type, url: `https://docs.fal.ai/errors#${type}`, ...more }],
  },
});

/** fal's queue: submit, status, result, cancel. Its results say where the files are. */
export const falProtocol: StubProtocol = {
  name: 'fal',
  readKey: (headers) => readAuthorization(headers, 'Key'),
  routes: [
    {
      at: /^PUT \/(?<model>[^/]+\/[^/]+)\/requests\/(?<job>[^/]+)\/cancel$/,
      kind: 'cancel',
      answer: withJob(cancel),
    },
    {
      at: /^GET \/(?<model>[^/]+\/[^/]+)\/requests\/(?<job>[^/]+)\/status$/,
      kind: 'poll',
      answer: withJob(getStatus),
    },
    {
      at: /^GET \/(?<model>[^/]+\/[^/]+)\/requests\/(?<job>[^/]+)$/,
      kind: 'result',
      answer: withJob(getResult),
    },
    {
      at: /^POST \/(?<model>[^/]+\/[^/]+(?:\/(?!requests\/)[^/]+){0,3})$/,
      kind: 'submit',
      read: ({ prompt, num_images: asked }) => ({ prompt, asked }),
      answer: submit,
    },
  ],
  // After answers that were seen.
  replies: readReplies('fal'),
};

function submit(context: StubContext): StubResponse {
  const { call, request, reply } = context;
  const { headers } = request;
  if (call.model === null || APPS[call.model] === undefined) {
    return reply('model-gone');
  }
  if (call.body === undefined) {
    return reply('no-json');
  }
  const priority = headers['x-fal-queue-priority'] ?? 'normal';
  if (priority !== 'normal' && priority !== 'low') {
    return reply('invalid', { message: `Invalid queue priority: ${priority}` });
  }
  if (!(Number(headers['x-fal-request-timeout'] ?? 1) >= 1)) {
    return reply('invalid', { message: 'x-fal-request-timeout must be a number of seconds' });
  }
  const preference = headers['x-fal-object-lifecycle-preference'] ?? '{"expiration_duration_seconds":null}';
  const { expiration_duration_seconds: lifetime } = toRecord(readJson(Buffer.from(preference)));
  if (lifetime !== null && !(Number.isInteger(lifetime) && Number(lifetime) >= 1)) {
    return reply('invalid', {
      message: 'x-fal-object-lifecycle-preference must have expiration_duration_seconds',
    });
  }
  // Without the header fal keeps images for ever.
  const seconds = lifetime === null ? Number.POSITIVE_INFINITY : Number(lifetime);
  const job = context.addJob(toRecord(call.body), ({ input, model }) => draw(context, input, model, seconds));
  return ok({ status: 'IN_QUEUE', ...listUrls(job, context), queue_position: 0 });
}

function listUrls({ id, model }: Job, { request }: StubContext): object {
  // Owner and name only: `/edit` is dropped.
  const base = `${request.origin}/${model.split('/').slice(0, 2).join('/')}/requests/${id}`;
  return { request_id: id, response_url: base, status_url: `${base}/status`, cancel_url: `${base}/cancel` };
}

/** Draws the images of a job, or objects to its request as the model does. */
async function draw(
  context: StubContext,
  input: Job['input'],
  model: string,
  seconds: number,
): Promise<StubResponse> {
  const { mode, behaviour, images, reply } = context;
  const [violation] = checkFields(input, APPS[model] ?? {});
  if (violation !== undefined) {
    return describeViolation(violation);
  }
  const urls = [input.image_urls, input.image_url].flat().filter((url) => typeof url === 'string');
  const unreadable = await context.readInputs(urls);
  if (unreadable !== null) {
    return unreadable === -1 ? reply('invalid-input') : reply('unreadable', { place: unreadable });
  }
  if (mode === 'moderation' || mode === 'no-image') {
    return reply(mode);
  }
  const made = context.bill(Number(input.num_images ?? 1));
  const format = String(input.output_format ?? 'png') as ImageFormat;
  const { width, height } = toRecord(input.image_size);
  const isSized = width !== undefined;
  const size = isSized
    ? { width: Number(width), height: Number(height) }
    : getGoogleSize(input.aspect_ratio, input.resolution);
  const order = { ...size, format };
  const isInline = input.sync_mode === true || mode === 'invalid-base64';
  const drawn = await repeatAsync(made, async () => ({
    url: isInline
      ? `data:image/${format};base64,${await context.encode(order)}`
      : context.keep(order, seconds),
    content_type: `image/${format}`,
    file_name: `output.${format}`,
    file_size: null,
    ...images.getSize(order, behaviour),
  }));
  return ok({ images: drawn, description: '' }, { 'x-fal-billable-units': String(made) });
}

function describeViolation({ path, fault, rule, value: input }: Violation): StubResponse {
  if (fault === 'missing') {
    return modelError('missing', 'Field required', path, { input });
  }
  if (fault === 'unknown') {
    return modelError('extra_forbidden', 'Extra inputs are not permitted', path, { input });
  }
  if (fault === 'enum') {
    const expected = rule?.allowed?.map((name) => `'${name}'`).join(', ') ?? '';
    return modelError('literal_error', `Input should be ${expected}`, path, { ctx: { expected }, input });
  }
  return modelError('value_error', `Input should be a valid ${rule?.type ?? 'value'}`, path, { input });
}

async function getStatus(context: StubContext, job: Job): Promise<StubResponse> {
  const { createdAt, readyAt, canceledAt } = job;
  const show = (status: number, name: string, more: object): StubResponse => ({
    status,
    body: { status: name, ...listUrls(job, context), ...more },
  });
  if (canceledAt !== null) {
    const error = { error: 'Request was cancelled', error_type: 'request_cancelled' };
    return show(200, 'COMPLETED', { logs: null, ...error });
  }
  const now = Date.now();
  if (now < readyAt) {
    return now < createdAt + (readyAt - createdAt) * QUEUED_SHARE
      ? show(202, 'IN_QUEUE', { queue_position: 1 })
      : show(202, 'IN_PROGRESS', { logs: null });
  }
  await job.result;
  return show(200, 'COMPLETED', { logs: null, metrics: { inference_time: (now - createdAt) / 1000 } });
}

async function getResult(context: StubContext, job: Job): Promise<StubResponse> {
  if (job.canceledAt !== null) {
    return context.reply('canceled');
  }
  if (Date.now() < job.readyAt) {
    return context.reply('invalid', { message: 'Request is still in progress' });
  }
  const result = await job.result;
  return { ...result, headers: { ...result.headers, 'x-fal-request-id': job.id } };
}

function cancel(context: StubContext, job: Job): StubResponse {
  if (Date.now() >= job.readyAt) {
    return context.reply('too-late');
  }
  job.canceledAt = Date.now();
  return context.reply('canceling');
}
