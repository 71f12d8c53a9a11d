import type { StubCall, StubProtocol, StubRequest } from '../core/protocol.js';
import { readJson } from '../core/read-json.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { geminiError, geminiRefusal, modelGone, wrongKey } from './gemini-errors.js';
import { GEMINI_MODELS, type GeminiModel } from './models.js';
import { respondToGenerate } from './respond-to-generate.js';

const PAGE_SIZE = 50;
const GENERATE = /^\/v1beta\/models\/([^/:]+):generateContent$/;
const MODEL = /^\/v1beta\/models(?:\/([^/:]+))?$/;

/** The Gemini API: `generateContent`, and the list of models. */
export const geminiProtocol: StubProtocol = {
  name: 'gemini',
  read: (request) => Promise.resolve(readCall(request)),
  wrongKey: ({ key }) =>
    key === null
      ? geminiError(
          403,
          'PERMISSION_DENIED',
          "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
        )
      : wrongKey(),
  refuse: geminiRefusal,
  answer: (call, request, context) => {
    if (call.kind === 'submit') {
      return respondToGenerate(call, context);
    }
    if (request.method !== 'GET' || !MODEL.test(request.path)) {
      return Promise.resolve(geminiError(404, 'NOT_FOUND', 'Requested entity was not found.'));
    }
    if (call.model === null) {
      return Promise.resolve(listed(request.query));
    }
    const model = GEMINI_MODELS[call.model];
    return Promise.resolve(
      model === undefined ? modelGone(call.model) : { status: 200, body: described(call.model, model) },
    );
  },
};

function listed(query: URLSearchParams): StubResponse {
  const from = Number(query.get('pageToken') ?? 0);
  const to = from + Number(query.get('pageSize') ?? PAGE_SIZE);
  const all = Object.entries(GEMINI_MODELS);
  const models = all.slice(from, to).map(([name, model]) => described(name, model));
  return { status: 200, body: { models, ...(to < all.length && { nextPageToken: String(to) }) } };
}

function readCall({ method, path, headers, query, body }: StubRequest): StubCall | null {
  if (!path.startsWith('/v1beta/')) {
    return null;
  }
  const key = headers['x-goog-api-key'] ?? query.get('key');
  const generates = method === 'POST' ? GENERATE.exec(path)?.[1] : undefined;
  const model = generates ?? MODEL.exec(path)?.[1] ?? null;
  if (generates === undefined) {
    return { kind: 'check', key, model, prompt: null, asked: 0, job: null, body: undefined };
  }
  const json = readJson(body);
  return { kind: 'submit', key, model, prompt: getPrompt(json), asked: 1, job: null, body: json };
}

function getPrompt(json: unknown): string | null {
  const { contents } = toRecord(json);
  const [first] = Array.isArray(contents) ? contents : [];
  const { parts } = toRecord(first);
  const texts = (Array.isArray(parts) ? parts : []).map((part) => toRecord(part).text);
  return texts.find((text): text is string => typeof text === 'string') ?? null;
}

function described(name: string, { displayName }: GeminiModel): object {
  return {
    name: `models/${name}`,
    version: '001',
    displayName,
    inputTokenLimit: 131_072,
    outputTokenLimit: 32_768,
    supportedGenerationMethods: ['generateContent', 'countTokens', 'batchGenerateContent'],
  };
}
