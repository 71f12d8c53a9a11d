import { type Behaviour, STUB_PROVIDERS, type StubProvider } from './behaviour.js';
import { ok, readJson, type StubRequest, type StubResponse, toRecord } from './call.js';
import type { Behaviours } from './create-behaviours.js';
import type { CallFilter, CallLog } from './create-call-log.js';

/** Answers `/__stub/…`: how the providers are to behave, and what was called. Null for any other path. */
export function serveControl(
  { log, behaviours }: { readonly log: CallLog; readonly behaviours: Behaviours },
  { method, path, query, body }: StubRequest,
): StubResponse | null {
  if (!path.startsWith('/__stub')) {
    return null;
  }
  switch (`${method} ${path}`) {
    case 'GET /__stub/behaviour':
      return ok(behaviours.get());
    case 'DELETE /__stub/behaviour':
      behaviours.reset();
      return ok(behaviours.get());
    case 'PUT /__stub/behaviour':
      try {
        put(behaviours, readJson(body));
        return ok(behaviours.get());
      } catch (error) {
        return { status: 400, body: { error: error instanceof Error ? error.message : String(error) } };
      }
    case 'GET /__stub/calls': {
      const calls = log.find(Object.fromEntries(query) as CallFilter);
      const sums = { duplicates: log.duplicates(), prompts: log.prompts(), billed: log.billed() };
      return ok({ total: calls.length, ...sums, calls });
    }
    case 'DELETE /__stub/calls':
      log.clear();
      return ok({ total: 0 });
    default: {
      const error = 'there are GET, PUT and DELETE /__stub/behaviour and GET and DELETE /__stub/calls';
      return { status: 404, body: { error } };
    }
  }
}

function put(behaviours: Behaviours, json: unknown): void {
  const { seed, ...given } = toRecord(json);
  const entries = Object.entries(given);
  if (entries.length === 0) {
    throw new Error('send an object such as {"fal": {"mode": "overload"}}');
  }
  for (const [name, value] of entries) {
    if (!STUB_PROVIDERS.includes(name as StubProvider)) {
      throw new Error(`no such provider: ${name}; there are ${STUB_PROVIDERS.join(', ')}`);
    }
    const list = (Array.isArray(value) ? value : [value]) as Behaviour[];
    behaviours.set(name as StubProvider, list, typeof seed === 'number' ? seed : undefined);
  }
}
