import { randomBytes } from 'node:crypto';
import { describeInput } from '../core/describe-input.js';
import { googleSizeOf } from '../core/google-size-of.js';
import type { Desk, StubCall } from '../core/protocol.js';
import { recordOf } from '../core/record-of.js';
import type { StubAnswer } from '../core/stub-answer.js';
import { checkRequest } from './check-request.js';
import { geminiError, modelGone } from './gemini-errors.js';
import { GEMINI_MODELS, type GeminiModel } from './models.js';

const TOKENS: Readonly<Record<string, number>> = { '1K': 1120, '2K': 1680, '4K': 2520 };
const UNREADABLE =
  'Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting';

/** Answers a request for one picture. */
export async function answerGenerate({ model: name, body }: StubCall, desk: Desk): Promise<StubAnswer> {
  const model = GEMINI_MODELS[name ?? ''];
  if (model === undefined) return modelGone(name ?? '');
  const fault = checkRequest(body, name ?? '', model);
  if (fault !== null) return fault;
  const inputs = await Promise.all(inputsOf(body).map((input) => describeInput(input)));
  desk.noteInputs(inputs.map(({ digest }) => digest));
  const { mode } = desk.behaviour;
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
  desk.bill(1);
  return good(name, { content: await contentOf(model, body, desk), finishReason: 'STOP' }, tokensOf(body));
}

async function contentOf(model: GeminiModel, body: unknown, { pictures, behaviour }: Desk): Promise<object> {
  const { aspectRatio, imageSize } = imageConfigOf(body);
  const bytes = await pictures.make(
    { ...googleSizeOf(aspectRatio, imageSize), format: model.format },
    behaviour,
  );
  const data = behaviour.mode === 'invalid-base64' ? '*** no base64 ***' : bytes.toString('base64');
  return {
    role: 'model',
    parts: [{ inlineData: { mimeType: `image/${model.format}`, data }, thoughtSignature: 'c3R1Yg==' }],
  };
}

function good(name: string | null, candidate: object, imageTokens: number): StubAnswer {
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

function imageConfigOf(body: unknown): Readonly<Record<string, unknown>> {
  return recordOf(recordOf(recordOf(body).generationConfig).imageConfig);
}

function tokensOf(body: unknown): number {
  return TOKENS[String(imageConfigOf(body).imageSize ?? '1K')] ?? 0;
}

function inputsOf(body: unknown): (Buffer | string)[] {
  const { contents } = recordOf(body);
  const parts = (Array.isArray(contents) ? contents : []).flatMap((content) => recordOf(content).parts ?? []);
  return parts.flatMap((part): (Buffer | string)[] => {
    const { inlineData, fileData } = recordOf(part);
    if (inlineData !== undefined) return [Buffer.from(String(recordOf(inlineData).data), 'base64')];
    return fileData === undefined ? [] : [String(recordOf(fileData).fileUri)];
  });
}
