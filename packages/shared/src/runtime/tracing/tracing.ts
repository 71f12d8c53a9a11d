/** Part of a trace that is under way. */
export interface Span {
  /** Value of a `traceparent` header that makes other spans its children; null where nothing is traced. */
  readonly traceparent: string | null;
  /** Ends it; an error marks it as failed. Its message is not exported. */
  readonly end: (error?: unknown) => void;
}

/** Origin of a span. */
export interface SpanOptions {
  /** `traceparent` of its parent; null begins a trace, unless `isRoot` is missing. */
  readonly parent: string | null;
  readonly kind?: 'server' | 'client' | 'internal';
  /** Begins a trace of its own where there is no parent. */
  readonly isRoot?: boolean;
  /** Start in milliseconds of the clock; now unless given. */
  readonly startedAt?: number;
  readonly attributes?: Readonly<Record<string, string | number>>;
}

/** Records spans. */
export interface Tracing {
  readonly start: (name: string, options: SpanOptions) => Span;
  /** Sends what is still to be sent. */
  readonly close: () => Promise<void>;
}

const NO_SPAN: Span = { traceparent: null, end: () => undefined };

/** Tracing that does nothing. */
export const NO_TRACING: Tracing = { start: () => NO_SPAN, close: () => Promise.resolve() };

/** Runs work within a span. */
export async function trace<T>(
  tracing: Tracing,
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
): Promise<T> {
  const span = tracing.start(name, options);
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Address of the collector and name of the process. */
export interface TracingSettings {
  /** Base address, to which `/v1/traces` is added; undefined: nothing is traced. */
  readonly endpoint: string | undefined;
  readonly service: string;
}
