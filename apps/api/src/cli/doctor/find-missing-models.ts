import type { UpstreamName } from '@image-gateway/shared/upstreams';
import type { ListedRoute } from '../../operations/provider/list-routes.js';

type Json = Readonly<Record<string, unknown>>;

/** Returns the models of a provider's routes that its list lacks; none when the response has no list. */
export function findMissingModels(
  protocol: UpstreamName,
  response: Buffer,
  routes: readonly ListedRoute[],
): string[] {
  const body = parse(response);
  const listed = new Set(listedModels(protocol, body));
  // The first page of a long list says nothing about the others.
  if (listed.size === 0 || typeof body.nextPageToken === 'string') {
    return [];
  }
  return [...new Set(routes.map(({ model }) => model))].filter((model) => !listed.has(model));
}

/** Gemini lists `models[].name` as `models/<id>`, OpenAI and OpenRouter `data[].id`; fal, Replicate and ComfyUI have no such list. */
function listedModels(protocol: UpstreamName, response: Json): string[] {
  switch (protocol) {
    case 'gemini':
      return readNames(response.models, 'name').map((name) => name.replace(/^models\//, ''));
    case 'openai':
    case 'openrouter':
      return readNames(response.data, 'id');
    case 'fal':
    case 'replicate':
    case 'comfyui':
      return [];
  }
}

function readNames(list: unknown, field: string): string[] {
  if (!Array.isArray(list)) {
    return [];
  }
  return list.flatMap((entry: unknown) => {
    const name = isObject(entry) ? entry[field] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}

function parse(response: Buffer): Json {
  try {
    const parsed: unknown = JSON.parse(response.toString('utf8'));
    return isObject(parsed) ? parsed : {};
  } catch {
    // Another format than JSON contains no list.
    return {};
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}
