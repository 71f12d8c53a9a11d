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
 * so on. An object is a reply of a form of its own, and a text means the reply of that name.
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
  const tables = names.map((name): Table => {
    const file = new URL(`../../replies/${name}.json`, import.meta.url);
    return JSON.parse(readFileSync(file, 'utf8')) as Table;
  });
  return function build(name, values): StubResponse {
    const table: Table = tables.findLast((one) => Object.hasOwn(one, name)) ?? {};
    const { [name]: found = 'auth', headers, forms, waits } = table;
    if (typeof found === 'string') {
      return build(found, values);
    }
    const given = { uuid: randomUUID(), ...values };
    const list = Array.isArray(found) ? (found as unknown[]) : [(found as { status: number }).status];
    const [form, ...row] = typeof list[0] === 'string' ? list : ['default', ...list];
    const reply = (Array.isArray(found) ? forms?.[String(form)] : found) as Form;
    const wait = waits?.includes(name) === true && { 'retry-after': '{seconds}' };
    const whole = { headers: { ...headers, ...wait, ...reply.headers }, body: reply.body };
    const filled = fill(whole, { ...given, ...(fill(row, given) as unknown[]) }) as Required<Form>;
    const texts = Object.entries(filled.headers).map(([header, value]) => [header, String(value)] as const);
    const body = typeof filled.body === 'string' ? Buffer.from(filled.body) : filled.body;
    return { status: Number(row[0]), headers: Object.fromEntries(texts), body };
  };
}

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
