import { checkFields, type FieldRule } from '../core/check-fields.js';
import type { Job } from '../core/create-jobs.js';
import type { StubCall, StubContext, StubProtocol, StubRequest } from '../core/protocol.js';
import { readJson } from '../core/read-json.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { describeInput } from '../images/describe-input.js';
import { bflInvalid, bflNotFound, bflRefusal, bflWrongKey } from './bfl-errors.js';

const MODEL = /^\/v1\/(flux-[\w.-]+)$/;
const RESULT = '/v1/get_result';
const CREDITS = '/v1/credits';
const CREDITS_AN_IMAGE = 3;
const MAX_PIXELS = 4_194_304;

const text: FieldRule = { type: 'string' };
const side: FieldRule = { type: 'integer', min: 64 };
const FIELDS: Readonly<Record<string, FieldRule>> = {
  prompt: { ...text, required: true },
  width: side,
  height: side,
  aspect_ratio: text,
  seed: { type: 'integer' },
  safety_tolerance: { type: 'integer', min: 0, max: 6 },
  output_format: { ...text, allowed: ['jpeg', 'png'] },
  steps: { type: 'integer', min: 1, max: 50 },
  guidance: { type: 'number' },
  prompt_upsampling: { type: 'boolean' },
  disable_pup: { type: 'boolean' },
  input_image: text,
  ...Object.fromEntries([2, 3, 4, 5, 6, 7, 8].map((number) => [`input_image_${number}`, text])),
};

/** The API of Black Forest Labs (github.com/black-forest-labs/skills, endpoints.md). */
export const bflProtocol: StubProtocol = {
  name: 'bfl',
  read: (request) => Promise.resolve(readCall(request)),
  wrongKey: bflWrongKey,
  refuse: bflRefusal,
  answer: (call, request, context) => {
    switch (call.kind) {
      case 'check':
        return Promise.resolve({ status: 200, body: { credits: 100 } });
      case 'submit':
        return submit(call, request, context);
      case 'poll':
      case 'result':
      case 'download':
      case 'cancel':
        return poll(call, context);
    }
  },
};

function readCall({ method, path, headers, query, body }: StubRequest): StubCall | null {
  const of = {
    key: headers['x-key'] ?? null,
    model: null,
    prompt: null,
    asked: 0,
    job: null,
    body: undefined,
  };
  if (method === 'GET' && path === CREDITS) {
    return { ...of, kind: 'check' };
  }
  if (method === 'GET' && path === RESULT) {
    return { ...of, kind: 'poll', job: query.get('id') };
  }
  const model = MODEL.exec(path)?.[1];
  if (method !== 'POST' || model === undefined) {
    return null;
  }
  const json = readJson(body);
  const { prompt } = toRecord(json);
  return {
    ...of,
    kind: 'submit',
    model,
    body: json,
    asked: 1,
    prompt: typeof prompt === 'string' ? prompt : null,
  };
}

async function submit(
  { model, key, body }: StubCall,
  { origin }: StubRequest,
  context: StubContext,
): Promise<StubResponse> {
  const violations = checkFields(body, FIELDS);
  if (violations.length > 0) {
    return bflInvalid(violations);
  }
  const input = toRecord(body);
  if (Number(input.width ?? 0) * Number(input.height ?? 0) > MAX_PIXELS) {
    return bflInvalid([{ path: ['width'], fault: 'range', rule: null, value: input.width }]);
  }
  const given = Object.keys(FIELDS).filter(
    (name) => name.startsWith('input_image') && input[name] !== undefined,
  );
  const images = await Promise.all(
    given.map((name) => describeInput(Buffer.from(String(input[name]), 'base64'))),
  );
  context.noteInputs(images.map(({ digest }) => digest));
  if (context.behaviour.mode === 'invalid-input' || images.some(({ readable }) => !readable)) {
    return bflInvalid([{ path: ['input_image'], fault: 'type', rule: null, value: '…' }]);
  }
  const job = context.jobs.add(
    { provider: 'bfl', model: model ?? '', key, input, behaviour: context.behaviour },
    (ready) => draw(ready, context, origin),
  );
  context.noteJob(job.id);
  return {
    status: 200,
    body: {
      id: job.id,
      polling_url: `${origin}${RESULT}?id=${job.id}`,
      cost: CREDITS_AN_IMAGE,
      input_mp: 0,
      output_mp: 1,
    },
  };
}

function draw(
  { id, input, model, behaviour }: Job,
  context: StubContext,
  origin: string,
): Promise<StubResponse> {
  const end = (status: string, more: object = {}): Promise<StubResponse> =>
    Promise.resolve({ status: 200, body: { id, status, result: null, ...more } });
  if (behaviour.mode === 'moderation') {
    return end('Request Moderated', { details: { 'Moderation Reasons': ['Derivative Works Filter'] } });
  }
  if (behaviour.mode === 'no-image') {
    return end('Ready');
  }
  context.bill(1);
  const format = input.output_format === 'png' ? 'png' : 'jpeg';
  const { width = 1_024, height = 1_024 } = input;
  const order = { width: Number(width), height: Number(height), format } as const;
  const sample = `${origin}${context.images.keep('bfl', order, behaviour)}`;
  return end('Ready', {
    result: {
      sample,
      prompt: rewrites(input, model) ? `${String(input.prompt)}, in detail` : input.prompt,
      seed: input.seed ?? 42,
    },
  });
}

/** FLUX.2 rewrites prompts unless it is told not to. */
function rewrites(input: Job['input'], model: string): boolean {
  if (!/^flux-2-(?!klein)/.test(model)) {
    return input.prompt_upsampling === true;
  }
  return model.startsWith('flux-2-flex') ? input.prompt_upsampling !== false : input.disable_pup !== true;
}

async function poll({ job: id, key }: StubCall, context: StubContext): Promise<StubResponse> {
  const job = context.jobs.find('bfl', id, key);
  if (job === null || context.behaviour.mode === 'job-lost') {
    return bflNotFound(id);
  }
  if (Date.now() < job.readyAt) {
    return { status: 200, body: { id, status: 'Pending', result: null, progress: 0.5 } };
  }
  return job.result;
}
