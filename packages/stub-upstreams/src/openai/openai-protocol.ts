import type { StubCall, StubProtocol, StubRequest } from '../core/protocol.js';
import { readForm } from '../core/read-form.js';
import { readJson } from '../core/read-json.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { azureRefusal, azureWrongKey } from './azure-errors.js';
import { openaiError, openaiHeaders, openaiRefusal, openaiWrongKey } from './openai-errors.js';
import { OPENAI_MODELS } from './openai-models.js';
import { respondToImages } from './respond-to-images.js';

// Azure and ModelArk have the same API under other prefixes.
const IMAGES = /^(?:\/openai\/v1|\/v1|\/api\/v3)\/images\/(?:generations|edits)$/;
const MODELS = /^(?:\/openai)?\/v1\/models(?:\/([^/]+))?$/;
const DEPLOYMENT = /^\/openai\/deployments\/([^/]+)\/images\/(generations|edits)$/;
const OWN_MODELS = /^(gpt-image|chatgpt-image|dall-e)/;
const NUMBERS = new Set([
  'n',
  'output_compression',
  'partial_images',
  'seed',
  'num_inference_steps',
  'guidance_scale',
  'true_cfg_scale',
]);

/** Server that speaks OpenAI's protocol. */
export interface OpenaiServer {
  /** Answers requests for other models than OpenAI's as servers like vLLM-Omni do. */
  readonly compatible: boolean;
  /** Names of deployments, behind which is a model of OpenAI. */
  readonly deployments: readonly string[];
  /** Ends of models that the list states. */
  readonly ends: Readonly<Record<string, string>>;
}

const DEPLOYED = 'gpt-image-2';

/** OpenAI's images and models, and those of servers that speak its protocol. */
export function createOpenaiProtocol({ compatible, deployments, ends }: OpenaiServer): StubProtocol {
  return {
    name: 'openai',
    read: readCall,
    wrongKey: ({ key }) => openaiWrongKey(key),
    refuse: openaiRefusal,
    answer: async (call, request, context) => {
      if (call.kind === 'check') {
        return models(call.model, ends);
      }
      const model = deployments.includes(call.model ?? '') ? DEPLOYED : call.model;
      return respondToImages(
        { ...call, model },
        request,
        context,
        compatible && !OWN_MODELS.test(model ?? ''),
      );
    },
  };
}

/** OpenAI's images at Azure: the deployment stands in the path. */
export function createAzureProtocol({ deployments }: Pick<OpenaiServer, 'deployments'>): StubProtocol {
  return {
    name: 'azure-openai',
    read: async (request) => {
      const { method, path, headers, query } = request;
      const [, deployment, rest] = DEPLOYMENT.exec(path) ?? [];
      if (method !== 'POST' || deployment === undefined || !query.has('api-version')) {
        return null;
      }
      const given = { ...request, path: `/v1/images/${rest}` };
      return readImages(given, headers['api-key'] ?? null, decodeURIComponent(deployment));
    },
    wrongKey: azureWrongKey,
    refuse: azureRefusal,
    answer: (call, request, context) => {
      const isKnown = deployments.length === 0 || deployments.includes(call.model ?? '');
      return isKnown
        ? respondToImages({ ...call, model: DEPLOYED }, request, context, false)
        : Promise.resolve(azureRefusal('model-gone', call, context.behaviour));
    },
  };
}

async function readCall(request: StubRequest): Promise<StubCall | null> {
  const { method, path, headers } = request;
  const key = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null;
  if (method === 'GET' && MODELS.test(path)) {
    const model = MODELS.exec(path)?.[1] ?? null;
    return { kind: 'check', key, model, prompt: null, asked: 0, job: null, body: undefined };
  }
  return method === 'POST' && IMAGES.test(path) ? readImages(request, key) : null;
}

async function readImages(request: StubRequest, key: string | null, deployment?: string): Promise<StubCall> {
  const form = await readForm(request);
  const json = form === null ? readJson(request.body) : Object.fromEntries(form.fields.map(typed));
  const { model = deployment, prompt, n = 1 } = toRecord(json);
  return {
    kind: 'submit',
    key,
    job: null,
    body: json,
    asked: Number(n),
    model: typeof model === 'string' ? model : null,
    prompt: typeof prompt === 'string' ? prompt : null,
    ...(form !== null && { files: form.files }),
  };
}

function typed([name, value]: readonly [string, string]): readonly [string, unknown] {
  return [name, NUMBERS.has(name) && value !== '' ? Number(value) : value];
}

function models(name: string | null, ends: OpenaiServer['ends']): StubResponse {
  const list = Object.entries(OPENAI_MODELS).map(([id, created]) => ({
    id,
    object: 'model',
    created,
    owned_by: 'system',
    shutdown_date: ends[id] ?? null,
  }));
  if (name === null) {
    return { status: 200, headers: openaiHeaders(), body: { object: 'list', data: list } };
  }
  const found = list.find(({ id }) => id === name);
  return found === undefined
    ? openaiError(404, {
        message: `The model '${name}' does not exist`,
        param: 'model',
        code: 'model_not_found',
      })
    : { status: 200, headers: openaiHeaders(), body: found };
}
