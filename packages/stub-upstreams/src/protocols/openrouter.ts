import { randomBytes } from 'node:crypto';
import { ok, type StubResponse, toList, toRecord } from '../core/call.js';
import type { StubContext } from '../core/create-context.js';
import {
  anything,
  between,
  checkFields,
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
import { readAuthorization, type StubProtocol } from '../core/protocol.js';
import { readReplies } from '../core/replies.js';
import type { ImageFormat } from '../images/draw-image.js';
import { getGoogleSize } from '../images/get-google-size.js';

interface OpenrouterModel {
  readonly name: string;
  readonly resolutions: readonly string[];
  /** Dollars for an image of 1K. */
  readonly cost: number;
}
const ALL = ['1K', '2K', '4K'];
const MODELS: Readonly<Record<string, OpenrouterModel>> = {
  'google/gemini-nano-banana-2.1': { name: 'Google: Nano Banana 2.1', resolutions: ALL, cost: 0.0336 },
  'google/gemini-3-pro-image': { name: 'Google: Nano Banana Pro', resolutions: ALL, cost: 0.134 },
  'google/gemini-2.5-flash-image': { name: 'Google: Nano Banana', resolutions: ['1K'], cost: 0.039 },
};
const DEAR: Readonly<Record<string, number>> = { '2K': 1.5, '4K': 3.375 };

const RATIOS =
  '1:1 1:2 1:4 1:8 2:1 2:3 2.35:1 3:2 3:4 4:1 4:3 4:5 5:2 5:4 8:1 9:16 16:9 9:19.5 19.5:9 9:20 20:9 9:21 21:9 auto';
const reference = { type: must(one('image_url')), image_url: must(record({ url: must(text) })) };
/** The fields of `POST /images` (`@openrouter/sdk` 1.3.19). */
const FIELDS = {
  ...fields(
    [must(text), 'model prompt'],
    [between(1, 10), 'n'],
    [one(RATIOS), 'aspect_ratio'],
    [one('512 1K 2K 4K'), 'resolution'],
    [text, 'size user session_id'],
    [one('png jpeg webp svg'), 'output_format'],
    [between(0, 100), 'output_compression'],
    [one('auto low medium high xhigh max'), 'quality'],
    [one('auto transparent opaque'), 'background'],
    [whole, 'seed'],
    [flag, 'stream'],
    [anything, 'trace'],
  ),
  input_references: list(record(reference)),
  provider: record(
    fields(
      [flag, 'allow_fallbacks'],
      [list(text), 'ignore only order'],
      [anything, 'options'],
      [text, 'sort'],
    ),
  ),
};

const listHeaders = () => ({ 'x-generation-id': `gen-img-${randomBytes(10).toString('hex')}` });

/** OpenRouter's images, the models for them, and the key's own page. */
export const openrouterProtocol: StubProtocol = {
  name: 'openrouter',
  readKey: (headers) => readAuthorization(headers),
  routes: [
    { at: /^POST \/api\/v1\/images$/, kind: 'submit', answer: draw },
    {
      at: /^GET \/api\/v1\/key$/,
      kind: 'check',
      answer: ({ call, reply }) => reply('key', { label: `${call.key?.slice(0, 4) ?? ''}...` }),
    },
    {
      at: /^GET \/api\/v1\/images\/models$/,
      kind: 'check',
      answer: () => ok({ data: Object.entries(MODELS).map(describeModel) }),
    },
    {
      at: /^GET \/api\/v1\/images\/models\/(?<model>.+)\/endpoints$/,
      kind: 'check',
      answer: ({ call: { model: id }, reply }) => {
        const model = MODELS[id ?? ''];
        if (model === undefined) {
          return reply('not-found');
        }
        const endpoint = { provider_name: 'Google AI Studio', provider_tag: 'google-ai-studio' };
        return ok({ data: { id, name: model.name, endpoints: [{ ...endpoint, ...listParameters(model) }] } });
      },
    },
    { at: /^\w+ \/api\/v1\//, kind: 'check', answer: ({ reply }) => reply('not-found') },
  ],
  // After answers that were seen or are documented; the form of the availability errors has no `code` of its own.
  replies: readReplies('openrouter'),
};

const describeModel = ([id, model]: readonly [string, OpenrouterModel]) => ({
  id,
  name: model.name,
  created: 1_791_244_800,
  description: '',
  architecture: { input_modalities: ['text', 'image'], output_modalities: ['image', 'text'] },
  supports_streaming: false,
  endpoints: `/api/v1/images/models/${id}/endpoints`,
  ...listParameters(model),
});

const listParameters = ({ resolutions }: OpenrouterModel) => ({
  supported_parameters: {
    resolution: { type: 'enum', values: resolutions },
    aspect_ratio: { type: 'enum', values: ['16:9', '9:16', '1:1'] },
    seed: { type: 'boolean' },
  },
});

/** Answers a request for an image. */
async function draw(context: StubContext): Promise<StubResponse> {
  const { call, mode, reply } = context;
  const model = MODELS[call.model ?? ''];
  if (model === undefined) {
    return reply('model-gone');
  }
  const [violation] = checkFields(call.body, FIELDS);
  if (violation !== undefined) {
    return reply('invalid', { message: describeViolation(violation) });
  }
  const body = toRecord(call.body);
  const resolution = String(body.resolution ?? '1K');
  const isOdd = body.output_format === 'svg' || body.stream === true;
  const odd =
    (call.asked > 1 && `n=${call.asked}`) ||
    (!model.resolutions.includes(resolution) && `resolution=${resolution}`) ||
    (isOdd && 'this output');
  if (odd) {
    return reply('invalid', { message: `No endpoint supports ${odd} for this model.` });
  }
  const references = toList(body.input_references).map((given) => toRecord(toRecord(given).image_url).url);
  if ((await context.readInputs(references)) !== null) {
    return reply('invalid-input');
  }
  if (mode === 'moderation') {
    return reply('moderation');
  }
  const isDrawn = context.bill(1) > 0;
  const format = String(body.output_format ?? 'png') as ImageFormat;
  const order = { ...getGoogleSize(body.aspect_ratio, resolution), format };
  const data = isDrawn ? [{ b64_json: await context.encode(order), media_type: `image/${format}` }] : [];
  const cost = isDrawn ? Number((model.cost * (DEAR[resolution] ?? 1)).toFixed(6)) : 0;
  const usage = { prompt_tokens: 9, completion_tokens: 1_120, total_tokens: 1_129, cost };
  return ok({ created: Math.floor(Date.now() / 1_000), data, usage }, listHeaders());
}

function describeViolation({ path, fault, value }: Violation): string {
  const name = path.join('.');
  if (fault === 'unknown') {
    return `Unrecognized key: "${name}"`;
  }
  return fault === 'missing'
    ? `${name}: Required`
    : `${name}: Invalid input: ${JSON.stringify(value).slice(0, 80)}`;
}
