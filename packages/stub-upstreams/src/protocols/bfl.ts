import { ok, type StubResponse, toRecord } from '../core/call.js';
import type { StubContext } from '../core/create-context.js';
import { between, checkFields, decimal, fields, flag, must, one, text, whole } from '../core/fields.js';
import { type StubProtocol, withJob } from '../core/protocol.js';
import { readReplies } from '../core/replies.js';

const CREDITS_AN_IMAGE = 3;
const MAX_PIXELS = 4_194_304;
const INPUTS = ['', ...[2, 3, 4, 5, 6, 7, 8].map((number) => `_${number}`)].map((end) => `input_image${end}`);
const FIELDS = fields(
  [must(text), 'prompt'],
  [between(64, Number.POSITIVE_INFINITY), 'width height'],
  [text, `aspect_ratio ${INPUTS.join(' ')}`],
  [whole, 'seed'],
  [between(0, 6), 'safety_tolerance'],
  [one('jpeg png'), 'output_format'],
  [between(1, 50), 'steps'],
  [decimal, 'guidance'],
  [flag, 'prompt_upsampling disable_pup'],
);

const bflInvalid = (path: readonly (string | number)[], type: string) => {
  const msg = type === 'missing' ? 'Field required' : 'Input should be valid';
  return { loc: ['body', ...path], msg, type };
};
/** The API of Black Forest Labs (github.com/black-forest-labs/skills, endpoints.md and errors, November 2026). */
export const bflProtocol: StubProtocol = {
  name: 'bfl',
  readKey: (headers) => headers['x-key'] ?? null,
  routes: [
    { at: /^GET \/v1\/credits$/, kind: 'check', answer: () => ok({ credits: 100 }) },
    {
      at: /^GET \/v1\/get_result$/,
      kind: 'poll',
      read: (_json, { query }) => ({ job: query.get('id') }),
      answer: withJob(({ reply }, job) => (Date.now() < job.readyAt ? reply('pending') : job.result)),
    },
    {
      at: /^POST \/v1\/(?<model>flux-[\w.-]+)$/,
      kind: 'submit',
      read: ({ prompt }) => ({ prompt }),
      answer: submit,
    },
  ],
  replies: readReplies('bfl'),
};

async function submit(context: StubContext): Promise<StubResponse> {
  const { call, request } = context;
  const faults = checkFields(call.body, FIELDS).map(({ path, fault }) => bflInvalid(path, fault));
  if (faults.length > 0) {
    return context.reply('invalid', { detail: faults });
  }
  const input = toRecord(call.body);
  if (Number(input.width ?? 0) * Number(input.height ?? 0) > MAX_PIXELS) {
    return context.reply('invalid', { detail: [bflInvalid(['width'], 'range')] });
  }
  const given = INPUTS.map((name) => input[name]).filter((value) => value !== undefined);
  if ((await context.readInputs(given.map((value) => Buffer.from(String(value), 'base64')))) !== null) {
    return context.reply('invalid', { detail: [bflInvalid(['input_image'], 'type')] });
  }
  const { id } = context.addJob(input, (job) => draw(context, job.id));
  const polling_url = `${request.origin}/v1/get_result?id=${id}`;
  return ok({ id, polling_url, cost: CREDITS_AN_IMAGE, input_mp: 0, output_mp: 1 });
}

function draw(context: StubContext, id: string): StubResponse {
  const { call, mode } = context;
  if (mode === 'moderation' || mode === 'no-image') {
    return context.reply(mode, { id });
  }
  context.bill(1);
  const { width = 1_024, height = 1_024, output_format: format, prompt, seed = 42 } = toRecord(call.body);
  const isPng = format === 'png';
  const sample = context.keep({
    width: Number(width),
    height: Number(height),
    format: isPng ? 'png' : 'jpeg',
  });
  const shown = rewrites(toRecord(call.body), call.model ?? '') ? `${String(prompt)}, in detail` : prompt;
  return ok({ id, status: 'Ready', result: { sample, prompt: shown, seed } });
}

/** FLUX.2 rewrites prompts unless it is told not to. */
function rewrites(input: Readonly<Record<string, unknown>>, model: string): boolean {
  if (!/^flux-2-(?!klein)/.test(model)) {
    return input.prompt_upsampling === true;
  }
  return model.startsWith('flux-2-flex') ? input.prompt_upsampling !== false : input.disable_pup !== true;
}
