import type { CallKind, StubMode, StubProvider } from './behaviour.js';
import type { StubCall } from './protocol.js';

/** A call that came in, and what became of it. */
export interface CallRecord {
  readonly provider: StubProvider;
  readonly kind: CallKind;
  readonly method: string;
  readonly path: string;
  /** As it was presented; null for none. */
  readonly key: string | null;
  readonly model: string | null;
  readonly prompt: string | null;
  /** Number of images. */
  readonly asked: number;
  /** How many were made and cost money, also when the answer was lost. */
  billed: number;
  job: string | null;
  /** SHA-256 of every input image, in the order in which they came; the address itself for one that was not sent along. */
  inputs: readonly string[];
  /** The request's fields, long texts cut. */
  readonly fields: unknown;
  mode: StubMode;
  /** Null while it is being answered and when it never was. */
  status: number | null;
  /** When it came in, in milliseconds since 1970. */
  readonly at: number;
}

/** Which calls are meant. */
export interface CallFilter {
  readonly provider?: StubProvider | undefined;
  readonly kind?: CallKind | undefined;
  readonly prompt?: string | undefined;
}

/** Every call, in the order in which they came in. */
export interface CallLog {
  readonly open: (call: StubCall & Pick<CallRecord, 'provider' | 'method' | 'path' | 'mode'>) => CallRecord;
  readonly find: (filter?: CallFilter) => CallRecord[];
  /** How often each prompt was submitted, over all providers. */
  readonly prompts: () => Record<string, number>;
  /** How many images were billed for each prompt, over all providers. */
  readonly billed: () => Record<string, number>;
  /** Those that were submitted more than once. */
  readonly duplicates: () => Record<string, number>;
  readonly clear: () => void;
}

const LONG_TEXT = 3_000;

/** Makes an empty log. */
export function createCallLog(): CallLog {
  let records: CallRecord[] = [];
  const byPrompt = (amount: (record: CallRecord) => number): Record<string, number> => {
    const sums: Record<string, number> = {};
    for (const record of records) {
      const { kind, prompt } = record;
      if (kind === 'submit' && prompt !== null) {
        sums[prompt] = (sums[prompt] ?? 0) + amount(record);
      }
    }
    return sums;
  };
  const prompts = (): Record<string, number> => byPrompt(() => 1);
  return {
    open: ({ provider, kind, method, path, key, model, prompt, asked, job, body, mode }) => {
      const record: CallRecord = {
        provider,
        kind,
        method,
        path,
        key,
        model,
        prompt,
        asked,
        job,
        mode,
        billed: 0,
        inputs: [],
        fields: shortened(body),
        status: null,
        at: Date.now(),
      };
      records.push(record);
      return record;
    },
    find: ({ provider, kind, prompt } = {}) =>
      records.filter(
        (record) =>
          (provider === undefined || record.provider === provider) &&
          (kind === undefined || record.kind === kind) &&
          (prompt === undefined || record.prompt === prompt),
      ),
    prompts,
    billed: () => byPrompt(({ billed }) => billed),
    duplicates: () => Object.fromEntries(Object.entries(prompts()).filter(([, count]) => count > 1)),
    clear: () => {
      records = [];
    },
  };
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length > LONG_TEXT ? `<${value.length} characters>` : value;
  }
  if (Array.isArray(value)) {
    return value.map(shortened);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, shortened(of)]));
}
