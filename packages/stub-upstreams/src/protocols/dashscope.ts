import { randomUUID } from 'node:crypto';
import { ok, type StubResponse, toList, toRecord } from '../core/call.js';
import { repeat, type StubContext } from '../core/create-context.js';
import { between, checkFields, fields, flag, text } from '../core/fields.js';
import { readAuthorization, type StubProtocol } from '../core/protocol.js';
import { readReplies } from '../core/replies.js';

const MODELS = ['qwen-image-3.0-pro', 'qwen-image-3.0', 'qwen-image-2.0', 'qwen-image-max'];
const MAX_INPUTS = 3;
const MAX_PIXELS = 2_048 * 2_048;
const MIN_PIXELS = 512 * 512;
// alibabacloud.com/help/en/model-studio/qwen-image-api and qwen-image-edit-api.
const PARAMETERS = fields(
  [text, 'size negative_prompt'],
  [between(1, 6), 'n'],
  [flag, 'prompt_extend watermark'],
  [between(0, 2_147_483_647), 'seed'],
);

/** Returns the parts of the only message. */
const readContent = (input: unknown) => {
  const [message] = toList(toRecord(input).messages);
  return toList(toRecord(message).content).map(toRecord);
};

/** The synchronous images of DashScope. */
export const dashscopeProtocol: StubProtocol = {
  name: 'dashscope',
  readKey: (headers) => readAuthorization(headers) ?? '',
  routes: [
    {
      at: /^GET \/api\/v1\/models$/,
      kind: 'check',
      // OpenRouter has the same path.
      read: (_json, { query }) => (query.has('page_no') ? {} : null),
      answer: listModels,
    },
    {
      at: /^POST \/api\/v1\/services\/aigc\/multimodal-generation\/generation$/,
      kind: 'submit',
      read: ({ model, input, parameters }) => ({
        model,
        asked: toRecord(parameters).n,
        prompt: readContent(input).find((part) => typeof part.text === 'string')?.text,
      }),
      answer: draw,
    },
  ],
  // alibabacloud.com/help/en/model-studio/error-code.
  replies: readReplies('dashscope'),
};

function listModels(): StubResponse {
  const output = {
    total: MODELS.length,
    page_no: 1,
    models: MODELS.map((model) => ({ model, name: model })),
  };
  return ok({ request_id: randomUUID(), success: true, output });
}

async function draw(context: StubContext): Promise<StubResponse> {
  const { call, mode } = context;
  const { model, asked } = call;
  const invalid = (message: string) => context.reply('invalid', { message });
  const { input, parameters } = toRecord(call.body);
  const [violation] = checkFields(toRecord(parameters), PARAMETERS);
  if (violation) {
    return invalid(`parameters.${violation.path.join('.')} is invalid: ${violation.fault}`);
  }
  const images = readContent(input).flatMap(({ image }) => (typeof image === 'string' ? [image] : []));
  const size = String(toRecord(parameters).size ?? '2048*2048');
  const [width = 0, height = 0] = size.split('*').map(Number);
  if (!(width * height >= MIN_PIXELS && width * height <= MAX_PIXELS)) {
    return invalid('parameters.size must be between 512*512 and 2048*2048 pixels');
  }
  if (images.length > MAX_INPUTS) {
    return invalid('at most 3 images are supported');
  }
  if (!model?.startsWith('qwen-image')) {
    return invalid('Model not exist.');
  }
  if (model === 'qwen-image-max' && (asked > 1 || images.length > 0)) {
    return invalid('parameters.n must be 1');
  }
  if ((await context.readInputs(images)) !== null) {
    return context.reply('invalid-input');
  }
  if (mode === 'moderation') {
    return context.reply('moderation');
  }
  const image_count = context.bill(asked);
  const content = repeat(image_count, () => ({ image: context.keep({ width, height, format: 'png' }) }));
  return ok({
    request_id: randomUUID(),
    output: { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content } }] },
    usage: { image_count, width, height },
  });
}
