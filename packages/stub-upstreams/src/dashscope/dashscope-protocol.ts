import { randomUUID } from 'node:crypto';
import { checkFields, type FieldRule } from '../core/check-fields.js';
import type { StubCall, StubContext, StubProtocol, StubRequest } from '../core/protocol.js';
import { readJson } from '../core/read-json.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { describeInput } from '../images/describe-input.js';
import {
  dashscopeError,
  dashscopeModeration,
  dashscopeRefusal,
  dashscopeWrongKey,
} from './dashscope-errors.js';

const DRAW = '/api/v1/services/aigc/multimodal-generation/generation';
const MODELS = '/api/v1/models';
const NAMES = ['qwen-image-3.0-pro', 'qwen-image-3.0', 'qwen-image-2.0', 'qwen-image-max'];
const MAX_INPUTS = 3;
const MAX_PIXELS = 2_048 * 2_048;
const MIN_PIXELS = 512 * 512;

const flag: FieldRule = { type: 'boolean' };
// alibabacloud.com/help/en/model-studio/qwen-image-api and qwen-image-edit-api.
const PARAMETERS: Readonly<Record<string, FieldRule>> = {
  size: { type: 'string' },
  n: { type: 'integer', min: 1, max: 6 },
  negative_prompt: { type: 'string' },
  prompt_extend: flag,
  watermark: flag,
  seed: { type: 'integer', min: 0, max: 2_147_483_647 },
};

/** The synchronous images of DashScope. */
export const dashscopeProtocol: StubProtocol = {
  name: 'dashscope',
  read: (request) => Promise.resolve(readCall(request)),
  wrongKey: dashscopeWrongKey,
  refuse: dashscopeRefusal,
  answer: (call, request, context) =>
    call.kind === 'check' ? Promise.resolve(listModels()) : draw(call, request, context),
};

function readCall({ method, path, query, headers, body }: StubRequest): StubCall | null {
  const key = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  // OpenRouter has the same path.
  if (method === 'GET' && path === MODELS && query.has('page_no')) {
    return { kind: 'check', key, model: null, prompt: null, asked: 0, job: null, body: undefined };
  }
  if (method !== 'POST' || path !== DRAW) {
    return null;
  }
  const json = readJson(body);
  const { model, input, parameters } = toRecord(json);
  const prompt = readContent(input).find((part) => typeof part.text === 'string')?.text;
  return {
    kind: 'submit',
    key,
    job: null,
    body: json,
    asked: Number(toRecord(parameters).n ?? 1),
    model: typeof model === 'string' ? model : null,
    prompt: typeof prompt === 'string' ? prompt : null,
  };
}

/** Returns the parts of the only message. */
function readContent(input: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { messages } = toRecord(input);
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const { content } = toRecord(list[0]);
  return (Array.isArray(content) ? content : []).map(toRecord);
}

function listModels(): StubResponse {
  const models = NAMES.map((model) => ({ model, name: model }));
  return {
    status: 200,
    body: { request_id: randomUUID(), success: true, output: { total: models.length, page_no: 1, models } },
  };
}

function invalid(text: string): StubResponse {
  return dashscopeError(400, 'InvalidParameter', text);
}

async function draw(
  { body, model }: StubCall,
  { origin }: StubRequest,
  context: StubContext,
): Promise<StubResponse> {
  const { input, parameters } = toRecord(body);
  const fields = toRecord(parameters);
  const [violation] = checkFields(fields, PARAMETERS);
  if (violation) {
    return invalid(`parameters.${violation.path.join('.')} is invalid: ${violation.fault}`);
  }
  const content = readContent(input);
  const images = content.flatMap(({ image }) => (typeof image === 'string' ? [image] : []));
  const count = Number(fields.n ?? 1);
  const [width = 0, height = 0] = String(fields.size ?? '2048*2048')
    .split('*')
    .map(Number);
  if (!(width * height >= MIN_PIXELS && width * height <= MAX_PIXELS)) {
    return invalid('parameters.size must be between 512*512 and 2048*2048 pixels');
  }
  if (model === null || !model.startsWith('qwen-image') || images.length > MAX_INPUTS) {
    return invalid(images.length > MAX_INPUTS ? 'at most 3 images are supported' : 'Model not exist.');
  }
  if (model === 'qwen-image-max' && (count > 1 || images.length > 0)) {
    return invalid('parameters.n must be 1');
  }
  const inputs = await Promise.all(images.map((image) => describeInput(image)));
  context.noteInputs(inputs.map(({ digest }) => digest));
  const { mode, images: fewer = count - 1 } = context.behaviour;
  if (mode === 'invalid-input' || inputs.some(({ readable }) => !readable)) {
    return dashscopeError(400, 'InvalidImageFormat', 'The image format is illegal and cannot be opened.');
  }
  if (mode === 'moderation') {
    return dashscopeModeration();
  }
  const made = mode === 'no-image' ? 0 : mode === 'fewer-images' ? Math.max(0, fewer) : count;
  context.bill(made);
  const order = { width, height, format: 'png' } as const;
  const parts = Array.from({ length: made }, () => ({
    image: `${origin}${context.images.keep('dashscope', order, context.behaviour)}`,
  }));
  const message = { role: 'assistant', content: parts };
  return {
    status: 200,
    body: {
      request_id: randomUUID(),
      output: { choices: [{ finish_reason: 'stop', message }] },
      usage: { image_count: made, width, height },
    },
  };
}
