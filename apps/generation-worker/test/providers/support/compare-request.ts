import { isDeepStrictEqual } from 'node:util';
import type { WireRequest } from './fixture.js';

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Promise<Buffer>;
}

/** Where our request is meant to differ from the recorded one. */
export interface Difference {
  /**
   * A JSON pointer into `{method, path, query, headers, body, multipart}`, such as `/body/generationConfig/seed`;
   * the parts of a form stand in lists by their name: `/multipart/quality` is `["medium"]`.
   */
  readonly at: string;
  /** Value that we send there; undefined: nothing. */
  readonly ours: unknown;
  readonly because: string;
  /** Number of the only exchange that it is about, from 0; all unless given. */
  readonly exchange?: number;
}

const SHOWN = 120;

/** Says how a request differs from the recorded one with the named differences; a difference that is none is a fault too. */
export async function compareRequest(
  recorded: WireRequest,
  seen: SeenRequest | undefined,
  index: number,
  differences: readonly Difference[],
): Promise<string[]> {
  const where = `request ${index}`;
  if (!seen) {
    return [`${where} was never made: ${recorded.method} ${recorded.url}`];
  }
  let wanted: unknown = describeWanted(recorded);
  const faults: string[] = [];
  for (const { at, ours, exchange = index } of differences) {
    if (exchange !== index) {
      continue;
    }
    const changed = setAt(wanted, at, ours);
    if (isDeepStrictEqual(changed, wanted)) {
      faults.push(`${where}: no difference at ${at}`);
    }
    wanted = changed;
  }
  const names = new Set([
    ...Object.keys(recorded.headers).map((name) => name.toLowerCase()),
    ...Object.keys((wanted as ReturnType<typeof describeWanted>).headers),
  ]);
  const got = await describeGot(seen, names, recorded.multipart !== undefined);
  return [...faults, ...differ(wanted, got, '').map((text) => `${where}${text}`)];
}

function describeWanted({ method, url, headers, body, multipart }: WireRequest) {
  const { pathname, searchParams } = new URL(url);
  const parts: Record<string, unknown[]> = {};
  for (const { name, ...part } of multipart ?? []) {
    parts[name] = [...(parts[name] ?? []), part.value ?? part];
  }
  return {
    method,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), withoutBoundary(value)]),
    ),
    ...(body !== undefined && { body }),
    ...(multipart !== undefined && { multipart: parts }),
  };
}

async function describeGot(seen: SeenRequest, names: ReadonlySet<string>, isForm: boolean) {
  const { method, path, query, headers } = seen;
  const body = await seen.body;
  const named = Object.entries(headers).filter(([name]) => names.has(name));
  return {
    method,
    path,
    query,
    headers: Object.fromEntries(named.map(([name, value]) => [name, withoutBoundary(value)])),
    ...(isForm && { multipart: await parseParts(body, headers['content-type'] ?? '') }),
    ...(!isForm && body.length > 0 && { body: parseJson(body) }),
  };
}

async function parseParts(body: Buffer, contentType: string): Promise<unknown> {
  try {
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': contentType },
    }).formData();
    const parts: Record<string, unknown[]> = {};
    for (const [name, value] of form) {
      const part =
        typeof value === 'string'
          ? value
          : {
              filename: value.name,
              contentType: value.type,
              bodyBase64: Buffer.from(await value.arrayBuffer()).toString('base64'),
            };
      parts[name] = [...(parts[name] ?? []), part];
    }
    return parts;
  } catch (error) {
    return `no form: ${String(error)}`;
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return `no JSON: ${body.toString('utf8')}`;
  }
}

const withoutBoundary = (value: string): string => value.replace(/boundary=.*$/, 'boundary=<any>');

function differ(wanted: unknown, got: unknown, at: string): string[] {
  if (isDeepStrictEqual(wanted, got)) {
    return [];
  }
  if (isRecord(wanted) && isRecord(got) && Array.isArray(wanted) === Array.isArray(got)) {
    const keys = new Set([...Object.keys(wanted), ...Object.keys(got)]);
    return [...keys].flatMap((key) => differ(wanted[key], got[key], `${at}/${key}`));
  }
  return [`${at}: ${shown(got)} instead of ${shown(wanted)}`];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, SHOWN);

/** A copy of a JSON value with another value at a JSON pointer (RFC 6901); undefined takes out what stands there. */
function setAt(value: unknown, pointer: string, other: unknown): unknown {
  const [, ...keys] = pointer.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  // A structured clone belongs to another realm under Jest and would equal nothing.
  const copy: unknown = JSON.parse(JSON.stringify(value));
  const last = keys.pop();
  let place = copy as Record<string, unknown>;
  for (const key of keys) {
    if (typeof place[key] !== 'object' || place[key] === null) {
      place[key] = {};
    }
    place = place[key] as Record<string, unknown>;
  }
  if (last === undefined) {
    return other;
  }
  if (other !== undefined) {
    place[last] = other;
  } else if (Array.isArray(place)) {
    place.splice(Number(last), 1);
  } else {
    delete place[last];
  }
  return copy;
}
