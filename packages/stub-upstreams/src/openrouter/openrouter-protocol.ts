import type { StubCall, StubProtocol, StubRequest } from '../core/protocol.js';
import { readJson } from '../core/read-json.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { OPENROUTER_MODELS } from './models.js';
import { openrouterError, openrouterRefusal, openrouterWrongKey } from './openrouter-errors.js';
import { respondToImage } from './respond-to-image.js';

const BASE = '/api/v1';

/** OpenRouter's images, the models for them, and the key's own page. */
export const openrouterProtocol: StubProtocol = {
  name: 'openrouter',
  read: (request) => Promise.resolve(readCall(request)),
  wrongKey: ({ key }) => openrouterWrongKey(key),
  refuse: openrouterRefusal,
  answer: (call, { method, path }, context) => {
    if (call.kind === 'submit') {
      return respondToImage(call, context);
    }
    return Promise.resolve(
      method === 'GET'
        ? page(path.slice(BASE.length), call.key)
        : openrouterError(404, 'Not Found', 'not_found'),
    );
  },
};

function readCall({ method, path, headers, body }: StubRequest): StubCall | null {
  if (!path.startsWith(`${BASE}/`)) {
    return null;
  }
  const key = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null;
  if (method !== 'POST' || path !== `${BASE}/images`) {
    return { kind: 'check', key, model: null, prompt: null, asked: 0, job: null, body: undefined };
  }
  const json = readJson(body);
  const { model, prompt, n = 1 } = toRecord(json);
  return {
    kind: 'submit',
    key,
    job: null,
    body: json,
    asked: Number(n),
    model: typeof model === 'string' ? model : null,
    prompt: typeof prompt === 'string' ? prompt : null,
  };
}

function page(path: string, key: string | null): StubResponse {
  if (path === '/key') {
    return { status: 200, body: { data: describedKey(key) } };
  }
  if (path === '/images/models') {
    return { status: 200, body: { data: Object.keys(OPENROUTER_MODELS).map(describedModel) } };
  }
  const slug = /^\/images\/models\/(.+)\/endpoints$/.exec(path)?.[1];
  const model = OPENROUTER_MODELS[slug ?? ''];
  if (slug === undefined || model === undefined) {
    return openrouterError(404, 'Not Found', 'not_found');
  }
  return {
    status: 200,
    body: {
      data: {
        id: slug,
        name: model.name,
        endpoints: [
          { provider_name: 'Google AI Studio', provider_tag: 'google-ai-studio', ...listParameters(slug) },
        ],
      },
    },
  };
}

function describedModel(id: string): object {
  return {
    id,
    name: OPENROUTER_MODELS[id]?.name ?? id,
    created: 1_791_244_800,
    description: '',
    architecture: { input_modalities: ['text', 'image'], output_modalities: ['image', 'text'] },
    supports_streaming: false,
    endpoints: `${BASE}/images/models/${id}/endpoints`,
    ...listParameters(id),
  };
}

function listParameters(id: string): object {
  return {
    supported_parameters: {
      resolution: { type: 'enum', values: OPENROUTER_MODELS[id]?.resolutions ?? [] },
      aspect_ratio: { type: 'enum', values: ['16:9', '9:16', '1:1'] },
      seed: { type: 'boolean' },
    },
  };
}

function describedKey(key: string | null): object {
  const usage = { usage: 0, usage_daily: 0, usage_weekly: 0, usage_monthly: 0 };
  return {
    label: `${key?.slice(0, 4) ?? ''}...`,
    limit: null,
    limit_remaining: null,
    limit_reset: null,
    ...usage,
    ...Object.fromEntries(Object.entries(usage).map(([name, value]) => [`byok_${name}`, value])),
    is_free_tier: false,
    is_management_key: false,
    is_provisioning_key: false,
    include_byok_in_limit: false,
    creator_user_id: null,
    organization_id: null,
    workspace_id: null,
    allowed_data_regions: ['global'],
    free_model_daily_requests: { limit: 0, remaining: 0, used: 0 },
    rate_limit: { interval: '10s', note: 'deprecated', requests: -1 },
  };
}
