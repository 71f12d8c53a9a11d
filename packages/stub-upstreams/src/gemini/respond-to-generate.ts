import { randomBytes } from 'node:crypto';
import { checkFields, type Violation } from '../core/check-fields.js';
import type { StubCall, StubContext } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { describeInput } from '../images/describe-input.js';
import { getGoogleSize } from '../images/get-google-size.js';
import { geminiError, modelGone } from './gemini-errors.js';
import { GEMINI_MODELS, type GeminiModel } from './models.js';
import { GENERATE_FIELDS } from './request-fields.js';

const TOKENS: Readonly<Record<string, number>> = { '1K': 1120, '2K': 1680, '4K': 2520 };
const UNREADABLE =
  'Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting';

/** Answers a request for one image. */
export async function respondToGenerate(
  { model: name, body }: StubCall,
  context: StubContext,
): Promise<StubResponse> {
  const model = GEMINI_MODELS[name ?? ''];
  if (model === undefined) {
    return modelGone(name ?? '');
  }
  const fault = checkRequest(body, name ?? '', model);
  if (fault !== null) {
    return fault;
  }
  const inputs = await Promise.all(listInputs(body).map((input) => describeInput(input)));
  context.noteInputs(inputs.map(({ digest }) => digest));
  const { mode } = context.behaviour;
  if (mode === 'invalid-input' || inputs.some(({ readable }) => !readable)) {
    return geminiError(400, 'INVALID_ARGUMENT', UNREADABLE);
  }
  if (mode === 'moderation') {
    return good(
      name,
      { content: {}, finishReason: 'IMAGE_SAFETY', finishMessage: 'Unable to show the generated image.' },
      0,
    );
  }
  if (mode === 'no-image' || mode === 'fewer-images') {
    const content = { role: 'model', parts: [{ text: "I can't create that image, but I can describe it." }] };
    return good(name, { content, finishReason: 'STOP' }, 0);
  }
  context.bill(1);
  return good(
    name,
    { content: await getContent(model, body, context), finishReason: 'STOP' },
    countTokens(body),
  );
}

async function getContent(
  model: GeminiModel,
  body: unknown,
  { images, behaviour }: StubContext,
): Promise<object> {
  const { aspectRatio, imageSize } = getImageConfig(body);
  const bytes = await images.make(
    { ...getGoogleSize(aspectRatio, imageSize), format: model.format },
    behaviour,
  );
  const data = behaviour.mode === 'invalid-base64' ? '*** no base64 ***' : bytes.toString('base64');
  return {
    role: 'model',
    parts: [{ inlineData: { mimeType: `image/${model.format}`, data }, thoughtSignature: 'c3R1Yg==' }],
  };
}

function good(name: string | null, candidate: object, imageTokens: number): StubResponse {
  return {
    status: 200,
    headers: { 'server-timing': 'gfet4t7; dur=11873', vary: 'Origin, X-Origin, Referer' },
    body: {
      candidates: [{ ...candidate, index: 0 }],
      usageMetadata: {
        promptTokenCount: 14,
        candidatesTokenCount: imageTokens,
        totalTokenCount: 14 + imageTokens,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 14 }],
        ...(imageTokens > 0 && { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: imageTokens }] }),
      },
      modelVersion: name,
      responseId: randomBytes(12).toString('base64url'),
    },
  };
}

function getImageConfig(body: unknown): Readonly<Record<string, unknown>> {
  return toRecord(toRecord(toRecord(body).generationConfig).imageConfig);
}

function countTokens(body: unknown): number {
  return TOKENS[String(getImageConfig(body).imageSize ?? '1K')] ?? 0;
}

function listInputs(body: unknown): (Buffer | string)[] {
  const { contents } = toRecord(body);
  const parts = (Array.isArray(contents) ? contents : []).flatMap((content) => toRecord(content).parts ?? []);
  return parts.flatMap((part): (Buffer | string)[] => {
    const { inlineData, fileData } = toRecord(part);
    if (inlineData !== undefined) {
      return [Buffer.from(String(toRecord(inlineData).data), 'base64')];
    }
    return fileData === undefined ? [] : [String(toRecord(fileData).fileUri)];
  });
}

/** Checks a request as Google does; null when it is valid. */
function checkRequest(body: unknown, name: string, model: GeminiModel): StubResponse | null {
  if (body === undefined) {
    return invalid('Invalid JSON payload received. Unexpected token.');
  }
  const [violation] = checkFields(body, GENERATE_FIELDS);
  if (violation !== undefined) {
    return invalid(getText(violation));
  }
  const config = toRecord(toRecord(body).generationConfig);
  const { imageSize } = toRecord(config.imageConfig);
  if (imageSize !== undefined && !model.sizes) {
    return invalid(`Image size ${String(imageSize)} is not supported for this model.`);
  }
  if (config.thinkingConfig !== undefined && !model.thinks) {
    return invalid('Thinking is not enabled for this model.');
  }
  if (Number(config.candidateCount ?? 1) > 1) {
    return invalid('Multiple candidates is not enabled for this model');
  }
  const modalities = config.responseModalities;
  if (Array.isArray(modalities) && !modalities.includes('IMAGE')) {
    return invalid(`The model ${name} only makes images.`);
  }
  return null;
}

function invalid(message: string): StubResponse {
  return geminiError(400, 'INVALID_ARGUMENT', message);
}

function getText({ path, fault, value }: Violation): string {
  const name = String(path.at(-1));
  const parent = path.slice(0, -1).join('.');
  if (fault === 'unknown') {
    return `Invalid JSON payload received. Unknown name "${name}" at '${parent}': Cannot find field.`;
  }
  if (fault === 'missing') {
    return `* GenerateContentRequest.${path.join('.')}: ${name} is not specified`;
  }
  return `Invalid value at '${path.join('.')}', ${JSON.stringify(value).slice(0, 80)}`;
}
