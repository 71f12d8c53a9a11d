import { checkFields, type Violation } from '../core/check-fields.js';
import type { StubCall, StubContext } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { describeInput } from '../images/describe-input.js';
import type { ImageFormat } from '../images/draw-image.js';
import { getGoogleSize } from '../images/get-google-size.js';
import { IMAGE_FIELDS, OPENROUTER_MODELS } from './models.js';
import { openrouterError, openrouterHeaders, openrouterModelGone } from './openrouter-errors.js';

const DEAR: Readonly<Record<string, number>> = { '2K': 1.5, '4K': 3.375 };

/** Answers a request for an image. */
export async function respondToImage(call: StubCall, context: StubContext): Promise<StubResponse> {
  const model = OPENROUTER_MODELS[call.model ?? ''];
  if (model === undefined) {
    return openrouterModelGone(call.model);
  }
  const [violation] = checkFields(call.body, IMAGE_FIELDS);
  if (violation !== undefined) {
    return openrouterError(400, getText(violation), 'invalid_request');
  }
  const body = toRecord(call.body);
  const refused = (what: string) =>
    openrouterError(400, `No endpoint supports ${what} for this model.`, 'invalid_request');
  if (Number(body.n ?? 1) > 1) {
    return refused(`n=${String(body.n)}`);
  }
  const resolution = String(body.resolution ?? '1K');
  if (!model.resolutions.includes(resolution)) {
    return refused(`resolution=${resolution}`);
  }
  if (body.output_format === 'svg' || body.stream === true) {
    return refused('this output');
  }

  const references = Array.isArray(body.input_references) ? body.input_references : [];
  const urls = references.map((reference) => String(toRecord(toRecord(reference).image_url).url));
  const inputs = await Promise.all(urls.map((url) => describeInput(url)));
  context.noteInputs(inputs.map(({ digest }) => digest));
  const { mode } = context.behaviour;
  if (mode === 'invalid-input' || inputs.some(({ readable }) => !readable)) {
    return openrouterError(400, 'Could not decode input image.', 'invalid_image');
  }
  if (mode === 'moderation') {
    return openrouterError(400, 'The model refused the request.', 'refusal');
  }
  if (mode === 'no-image' || mode === 'fewer-images') {
    return good([], 0);
  }

  context.bill(1);
  const cost = model.cost * (DEAR[resolution] ?? 1);
  if (mode === 'invalid-base64') {
    return good([{ b64_json: '*** no base64 ***', media_type: 'image/png' }], cost);
  }
  const format = String(body.output_format ?? 'png') as ImageFormat;
  const order = { ...getGoogleSize(body.aspect_ratio, resolution), format };
  const bytes = await context.images.make(order, context.behaviour);
  return good([{ b64_json: bytes.toString('base64'), media_type: `image/${format}` }], cost);
}

function good(data: readonly object[], cost: number): StubResponse {
  const usage = {
    prompt_tokens: 9,
    completion_tokens: 1_120,
    total_tokens: 1_129,
    cost: Number(cost.toFixed(6)),
  };
  return {
    status: 200,
    headers: openrouterHeaders(),
    body: { created: Math.floor(Date.now() / 1_000), data, usage },
  };
}

function getText({ path, fault, value }: Violation): string {
  const name = path.join('.');
  if (fault === 'unknown') {
    return `Unrecognized key: "${name}"`;
  }
  if (fault === 'missing') {
    return `${name}: Required`;
  }
  return `${name}: Invalid input: ${JSON.stringify(value).slice(0, 80)}`;
}
