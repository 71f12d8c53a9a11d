import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { StubResponse } from './call.js';

/** Values of the placeholders in a reply. */
export type ReplyValues = Readonly<Record<string, unknown>>;

/** Answers of a provider by their names; those of refusals are the names of their modes. */
export type Replies = (name: string, values: ReplyValues) => StubResponse;

/** Form of an answer; a text is sent as it is. */
interface Form {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object | string;
}

/**
 * Table of replies by their names. A list is the form where it is not `default`, the status, and the values of `{1}`, `{2}` and
 * so on. An object is a reply of a form of its own. A text is the name of another reply, or of a recorded case after `recorded`.
 */
interface Table {
  /** Headers of all replies. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Forms, in which `{0}` is the status. */
  readonly forms?: Readonly<Record<string, Form>>;
  /** Names of replies that ask to wait. */
  readonly waits?: readonly string[];
  readonly [name: string]: unknown;
}

/** Reads the tables of replies of these names; a later one comes before an earlier one. */
export function readReplies(...names: readonly string[]): Replies {
  const tables = names.map((provider) => ({
    provider,
    table: readFile<Table>(`../../replies/${provider}.json`),
  }));
  return function build(name, values): StubResponse {
    const { provider = '', table = {} } = tables.findLast((one) => Object.hasOwn(one.table, name)) ?? {};
    const { [name]: found = 'auth', headers, forms, waits } = table;
    const [, recorded] = /^recorded (.*)/.exec(String(found)) ?? [];
    if (typeof found === 'string' && recorded === undefined) {
      return build(found, values);
    }
    const given = { uuid: randomUUID(), ...values };
    const common = { ...headers, ...(waits?.includes(name) === true && { 'retry-after': '{seconds}' }) };
    if (recorded !== undefined) {
      const { status, body, ...answer } = readRecorded(provider, recorded);
      return { status, headers: { ...answer.headers, ...fillHeaders(common, given) }, body };
    }
    const list = Array.isArray(found) ? (found as unknown[]) : [(found as { status: number }).status];
    const [form, ...row] = typeof list[0] === 'string' ? list : ['default', ...list];
    const reply = (Array.isArray(found) ? forms?.[String(form)] : found) as Form;
    const all = { ...given, ...(fill(row, given) as unknown[]) };
    const body = fill(reply.body, all) as Form['body'];
    return {
      status: Number(row[0]),
      headers: fillHeaders({ ...common, ...reply.headers }, all),
      body: typeof body === 'string' ? Buffer.from(body) : body,
    };
  };
}

const readFile = <T>(place: string): T =>
  JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')) as T;

/** Reads the last answer of a case that the tests of the adapters have of a provider. */
function readRecorded(provider: string, name: string): StubResponse {
  const place = `../../../../apps/generation-worker/test/providers/fixtures/${provider}/${name}.json`;
  const { exchanges } = readFile<{ exchanges: { response: StubResponse & { bodyText?: string } }[] }>(place);
  const { bodyText, ...response } = exchanges.at(-1)?.response ?? { status: 599, body: null };
  return bodyText === undefined ? response : { ...response, body: Buffer.from(bodyText) };
}

const fillHeaders = (headers: Readonly<Record<string, string>>, values: ReplyValues) =>
  Object.fromEntries(
    Object.entries(fill(headers, values) as object).map(([name, value]) => [name, String(value)]),
  );

const ONLY = /^\{(\w+)(\??)\}$/;

/** Replaces `{name}` by its value, also one that is no text where nothing else stands; `{name?}` leaves out what has none. */
function fill(template: unknown, values: ReplyValues): unknown {
  if (typeof template === 'string') {
    const [, only] = ONLY.exec(template) ?? [];
    const replace = (_all: string, name: string) => String(values[name] ?? '');
    return only === undefined ? template.replaceAll(/\{(\w+)\}/g, replace) : (values[only] ?? null);
  }
  if (typeof template !== 'object' || template === null) {
    return template;
  }
  if (Array.isArray(template)) {
    return template.map((each) => fill(each, values));
  }
  const entries = Object.entries(template).map(([name, each]) => [name, each, fill(each, values)] as const);
  const kept = entries.filter(([, each, value]) => value !== null || ONLY.exec(String(each))?.[2] !== '?');
  return Object.fromEntries(kept.map(([name, , value]) => [name, value]));
}
