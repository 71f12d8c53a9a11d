import { asRecord } from '../record-of.js';
import { asRecords } from '../records-of.js';

/** What an error says: OpenAI's, or that of a server that was written with FastAPI; empty texts for what it does not say. */
export interface OpenaiFault {
  readonly code: string;
  readonly type: string;
  /** The field that is at fault. */
  readonly param: string;
  readonly message: string;
  /** As the text says it ("try again in 12s"), in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

const WAIT = /try again in (?:(\d{1,4})m(?!s))?(?:(\d{1,6}(?:\.\d{1,6})?)(ms|s))?/i;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Reads an error, whatever is in it. */
export function readFault(value: unknown): OpenaiFault {
  const answer = asRecord(value) ?? {};
  const [detail] = asRecords(answer.detail);
  // Older servers have the fields of an error at the top, some only a sentence.
  const error =
    detail === undefined ? (asRecord(answer.error) ?? answer) : { ...detail, message: detail.msg };
  const message = [error.message, answer.error, answer.detail].map(textOf).find((text) => text !== '') ?? '';
  return {
    code: textOf(error.code),
    type: textOf(error.type),
    param: textOf(error.param) || lastNameOf(detail?.loc),
    message,
    retryAfterMs: waitOf(message),
  };
}

function lastNameOf(loc: unknown): string {
  const names: readonly unknown[] = Array.isArray(loc) ? loc : [];
  return names.filter((name) => typeof name === 'string').at(-1) ?? '';
}

function waitOf(message: string): number | undefined {
  const [, minutes, amount, unit] = WAIT.exec(message) ?? [];
  if (minutes === undefined && amount === undefined) return undefined;
  const rest = Number(amount ?? 0) * (unit === 'ms' ? 1 : SECOND_MS);
  return Math.ceil(Number(minutes ?? 0) * MINUTE_MS + rest);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
