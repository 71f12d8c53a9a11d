import { type Behaviour, STUB_PROVIDERS, type StubProvider } from './behaviour.js';
import type { Behaviours } from './create-behaviours.js';
import type { CallFilter, CallLog } from './create-call-log.js';
import type { StubRequest } from './protocol.js';
import { readJson } from './read-json.js';
import type { StubResponse } from './stub-response.js';
import { toRecord } from './to-record.js';

/** Answers `/__stub/…`: how the providers are to behave, and what was called. Null for any other path. */
export function serveControl(
  { log, behaviours }: { readonly log: CallLog; readonly behaviours: Behaviours },
  { method, path, query, body }: StubRequest,
): StubResponse | null {
  if (!path.startsWith('/__stub')) {
    return null;
  }
  const what = `${method} ${path}`;
  if (what === 'GET /__stub/behaviour') {
    return { status: 200, body: behaviours.get() };
  }
  if (what === 'DELETE /__stub/behaviour') {
    behaviours.reset();
    return { status: 200, body: behaviours.get() };
  }
  if (what === 'PUT /__stub/behaviour') {
    try {
      put(behaviours, readJson(body));
      return { status: 200, body: behaviours.get() };
    } catch (error) {
      return { status: 400, body: { error: error instanceof Error ? error.message : String(error) } };
    }
  }
  if (what === 'GET /__stub/calls') {
    const filter = Object.fromEntries(query) as CallFilter;
    const calls = log.find(filter);
    return {
      status: 200,
      body: {
        total: calls.length,
        duplicates: log.duplicates(),
        prompts: log.prompts(),
        billed: log.billed(),
        calls,
      },
    };
  }
  if (what === 'DELETE /__stub/calls') {
    log.clear();
    return { status: 200, body: { total: 0 } };
  }
  return {
    status: 404,
    body: { error: 'there are GET, PUT and DELETE /__stub/behaviour and GET and DELETE /__stub/calls' },
  };
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
