import type { RoutingTable, UpstreamName } from '@image-gateway/shared/upstreams';

type Json = Readonly<Record<string, unknown>>;

/** The models of the routing table that a provider's own list lacks; none when its answer is no such list. */
export function findMissingModels(provider: UpstreamName, answer: Buffer, routes: RoutingTable): string[] {
  const answered = parse(answer);
  const listed = new Set(listedModels(provider, answered));
  // The first page of a long list says nothing about the others.
  if (listed.size === 0 || typeof answered.nextPageToken === 'string') return [];
  const wanted = Object.values(routes)
    .flat()
    .filter((route) => route.provider === provider);
  return [...new Set(wanted.map(({ model }) => model))].filter((model) => !listed.has(model));
}

/** Gemini lists `models[].name` as `models/<id>`, OpenAI and OpenRouter `data[].id`; fal and Replicate have no such list. */
function listedModels(provider: UpstreamName, answer: Json): string[] {
  switch (provider) {
    case 'gemini':
      return readNames(answer.models, 'name').map((name) => name.replace(/^models\//, ''));
    case 'openai':
    case 'openrouter':
      return readNames(answer.data, 'id');
    case 'fal':
    case 'replicate':
      return [];
  }
}

function readNames(list: unknown, field: string): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const name = isObject(entry) ? entry[field] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}

function parse(answer: Buffer): Json {
  try {
    const parsed: unknown = JSON.parse(answer.toString('utf8'));
    return isObject(parsed) ? parsed : {};
  } catch {
    // What is no JSON is no list.
    return {};
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}
