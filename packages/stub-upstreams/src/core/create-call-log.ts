import type { CallKind, StubMode, StubProvider } from './behaviour.js';
import type { StubCall } from './call.js';

/** A call that came in, and what became of it. */
export interface CallRecord extends Omit<StubCall, 'body' | 'files' | 'job'> {
  readonly provider: StubProvider;
  readonly method: string;
  readonly path: string;
  job: string | null;
  /** How many were made and cost money, also when the answer was lost. */
  billed: number;
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
export type CallLog = ReturnType<typeof createCallLog>;

const LONG_TEXT = 3_000;

/** Makes an empty log. */
export function createCallLog() {
  let records: CallRecord[] = [];
  const sum = (count: (record: CallRecord) => number): Record<string, number> => {
    const sums: Record<string, number> = {};
    for (const record of records) {
      if (record.kind === 'submit' && record.prompt !== null) {
        sums[record.prompt] = (sums[record.prompt] ?? 0) + count(record);
      }
    }
    return sums;
  };
  /** How often each prompt was submitted, over all providers. */
  const prompts = () => sum(() => 1);
  return {
    open: (call: StubCall & Pick<CallRecord, 'provider' | 'method' | 'path' | 'mode'>): CallRecord => {
      const { body, files: _files, ...parts } = call;
      const fields = shortened(body);
      const record = { ...parts, billed: 0, inputs: [], fields, status: null, at: Date.now() };
      records.push(record);
      return record;
    },
    find: ({ provider, kind, prompt }: CallFilter = {}): CallRecord[] =>
      records.filter(
        (record) =>
          (provider === undefined || record.provider === provider) &&
          (kind === undefined || record.kind === kind) &&
          (prompt === undefined || record.prompt === prompt),
      ),
    prompts,
    /** How many images were billed for each prompt, over all providers. */
    billed: () => sum(({ billed }) => billed),
    /** Those that were submitted more than once. */
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
