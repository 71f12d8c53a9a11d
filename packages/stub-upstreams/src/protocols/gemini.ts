import { randomBytes } from 'node:crypto';
import { ok, type StubCall, type StubRequest, type StubResponse, toList, toRecord } from '../core/call.js';
import type { StubContext } from '../core/create-context.js';
import {
  checkFields,
  decimal,
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
import type { StubProtocol } from '../core/protocol.js';
import { readReplies } from '../core/replies.js';
import { getGoogleSize } from '../images/get-google-size.js';

/** A model for images of November 2026; `sizes` and `thinks` if `imageSize` and `thinkingConfig` are allowed. */
const model = (displayName: string, format: 'jpeg' | 'png', sizes: boolean, thinks: boolean) => ({
  displayName,
  format,
  sizes,
  thinks,
});
type GeminiModel = ReturnType<typeof model>;
const MODELS: Readonly<Record<string, GeminiModel>> = {
  'gemini-nano-banana-2.1': model('Nano Banana 2.1', 'jpeg', true, true),
  'gemini-3.1-flash-lite-image': model('Nano Banana 2 Lite', 'jpeg', false, true),
  'gemini-2.5-flash-image': model('Nano Banana', 'png', false, false),
  'gemini-3-pro-image': model('Nano Banana Pro', 'jpeg', true, true),
};
const PAGE_SIZE = 50;
const TOKENS: Readonly<Record<string, number>> = { '1K': 1120, '2K': 1680, '4K': 2520 };

const harm = (names: string) => one(names.replaceAll(/\b(?=\w)/g, 'HARM_CATEGORY_'));
const part = record({
  text,
  inlineData: record(fields([must(text), 'mimeType data'])),
  fileData: record(fields([text, 'mimeType'], [must(text), 'fileUri'])),
});
const content = record({ role: one('user model'), parts: must(list(part, 1)) });
/** The request of `generateContent` as far as it is documented for images on the Gemini API (`@google/genai` 2.32.0). */
const FIELDS = {
  contents: must(list(content, 1)),
  systemInstruction: content,
  safetySettings: list(
    record({
      category: must(harm('HARASSMENT HATE_SPEECH SEXUALLY_EXPLICIT DANGEROUS_CONTENT CIVIC_INTEGRITY')),
      threshold: must(one('BLOCK_NONE BLOCK_ONLY_HIGH BLOCK_MEDIUM_AND_ABOVE BLOCK_LOW_AND_ABOVE OFF')),
    }),
  ),
  tools: { type: 'array' },
  generationConfig: record({
    ...fields([whole, 'candidateCount seed'], [decimal, 'temperature topP topK maxOutputTokens']),
    stopSequences: list(text),
    responseModalities: list(one('TEXT IMAGE')),
    thinkingConfig: record({
      includeThoughts: flag,
      thinkingBudget: whole,
      thinkingLevel: one('MINIMAL LOW MEDIUM HIGH'),
    }),
    imageConfig: record({
      aspectRatio: one('1:1 2:3 3:2 3:4 4:3 4:5 5:4 9:16 16:9 21:9 1:4 4:1 1:8 8:1'),
      imageSize: one('512 1K 2K 4K'),
    }),
  }),
} as const;

const headers = { 'server-timing': 'gfet4t7; dur=11873', vary: 'Origin, X-Origin, Referer' };

const listParts = (body: unknown) =>
  toList(toRecord(body).contents)
    .flatMap((one) => toRecord(one).parts ?? [])
    .map(toRecord);

/** Builds the routes of Google's models below a prefix of their paths. */
export const buildGeminiRoutes = (prefix: string): StubProtocol['routes'] => [
  {
    at: new RegExp(`^POST ${prefix}models/(?<model>[^/:]+):generateContent$`),
    kind: 'submit',
    read: ({ contents }) => ({
      prompt: listParts({ contents: toList(contents).slice(0, 1) }).find(
        ({ text: prompt }) => typeof prompt === 'string',
      )?.text,
    }),
    answer: generate,
  },
  {
    at: new RegExp(`^GET ${prefix}models(?:/(?<model>[^/:]+))?$`),
    kind: 'check',
    answer: ({ call, request, reply }) => {
      if (call.model === null) {
        return listModels(request);
      }
      const found = MODELS[call.model];
      return found === undefined ? reply('model-gone') : ok(describeModel(call.model, found));
    },
  },
  {
    at: new RegExp(`^\\w+ ${prefix}`),
    kind: 'check',
    answer: ({ reply }) => reply('not-found'),
  },
];

/** The Gemini API: `generateContent`, and the list of models. */
export const geminiProtocol: StubProtocol = {
  name: 'gemini',
  readKey: (given, query) => given['x-goog-api-key'] ?? query.get('key'),
  routes: buildGeminiRoutes('/v1beta/'),
  replies: readReplies('gemini'),
};

function listModels({ query }: StubRequest): StubResponse {
  const from = Number(query.get('pageToken') ?? 0);
  const to = from + Number(query.get('pageSize') ?? PAGE_SIZE);
  const all = Object.entries(MODELS).map(([name, found]) => describeModel(name, found));
  return ok({ models: all.slice(from, to), ...(to < all.length && { nextPageToken: String(to) }) });
}

const describeModel = (name: string, { displayName }: GeminiModel) => ({
  name: `models/${name}`,
  version: '001',
  displayName,
  inputTokenLimit: 131_072,
  outputTokenLimit: 32_768,
  supportedGenerationMethods: ['generateContent', 'countTokens', 'batchGenerateContent'],
});

/** Answers a request for one image. */
async function generate(context: StubContext): Promise<StubResponse> {
  const { call, mode, reply } = context;
  const found = MODELS[call.model ?? ''];
  if (found === undefined) {
    return reply('model-gone');
  }
  const fault = findFault(call, found);
  if (fault !== null) {
    return reply('invalid', { message: fault });
  }
  const inputs = listParts(call.body).flatMap(({ inlineData, fileData }) => {
    if (inlineData !== undefined) {
      return [Buffer.from(String(toRecord(inlineData).data), 'base64')];
    }
    return fileData === undefined ? [] : [toRecord(fileData).fileUri];
  });
  if ((await context.readInputs(inputs)) !== null) {
    return reply('invalid-input');
  }
  if (mode === 'moderation') {
    const finishMessage = 'Unable to show the generated image.';
    return succeed(call.model, { content: {}, finishReason: 'IMAGE_SAFETY', finishMessage }, 0);
  }
  if (context.bill(1) === 0) {
    const parts = [{ text: "I can't create that image, but I can describe it." }];
    return succeed(call.model, { content: { role: 'model', parts }, finishReason: 'STOP' }, 0);
  }
  const { aspectRatio, imageSize } = toRecord(readConfig(call.body).imageConfig);
  const data = await context.encode({ ...getGoogleSize(aspectRatio, imageSize), format: found.format });
  const parts = [{ inlineData: { mimeType: `image/${found.format}`, data }, thoughtSignature: 'c3R1Yg==' }];
  const tokens = TOKENS[String(imageSize ?? '1K')] ?? 0;
  return succeed(call.model, { content: { role: 'model', parts }, finishReason: 'STOP' }, tokens);
}

function succeed(modelVersion: string | null, candidate: object, tokenCount: number): StubResponse {
  const usageMetadata = {
    promptTokenCount: 14,
    candidatesTokenCount: tokenCount,
    totalTokenCount: 14 + tokenCount,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 14 }],
    ...(tokenCount > 0 && { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount }] }),
  };
  const responseId = randomBytes(12).toString('base64url');
  const candidates = [{ ...candidate, index: 0 }];
  return ok({ candidates, usageMetadata, modelVersion, responseId }, headers);
}

const readConfig = (body: unknown) => toRecord(toRecord(body).generationConfig);

/** Checks a request as Google does; null when it is valid. */
function findFault({ body, model: name }: StubCall, { sizes, thinks }: GeminiModel): string | null {
  if (body === undefined) {
    return 'Invalid JSON payload received. Unexpected token.';
  }
  const [violation] = checkFields(body, FIELDS);
  if (violation !== undefined) {
    return describeViolation(violation);
  }
  const { imageConfig, thinkingConfig, candidateCount = 1, responseModalities } = readConfig(body);
  const { imageSize } = toRecord(imageConfig);
  if (imageSize !== undefined && !sizes) {
    return `Image size ${String(imageSize)} is not supported for this model.`;
  }
  if (thinkingConfig !== undefined && !thinks) {
    return 'Thinking is not enabled for this model.';
  }
  if (Number(candidateCount) > 1) {
    return 'Multiple candidates is not enabled for this model';
  }
  const isTextOnly = Array.isArray(responseModalities) && !responseModalities.includes('IMAGE');
  return isTextOnly ? `The model ${name ?? ''} only makes images.` : null;
}

function describeViolation({ path, fault, value }: Violation): string {
  const name = String(path.at(-1));
  if (fault === 'unknown') {
    const parent = path.slice(0, -1).join('.');
    return `Invalid JSON payload received. Unknown name "${name}" at '${parent}': Cannot find field.`;
  }
  return fault === 'missing'
    ? `* GenerateContentRequest.${path.join('.')}: ${name} is not specified`
    : `Invalid value at '${path.join('.')}', ${JSON.stringify(value).slice(0, 80)}`;
}
