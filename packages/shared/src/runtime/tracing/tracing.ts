import type { Logger } from '../logging/index.js';

/** Part of a trace that is under way. */
export interface Span {
  /** Value of a `traceparent` header that makes other spans its children; null where nothing is traced. */
  readonly traceparent: string | null;
  /** Id of its trace; null where nothing is traced. */
  readonly traceId: string | null;
  /** Ends it, with attributes that are known by then; an error marks it as failed. Its message is not exported. */
  readonly end: (error?: unknown, attributes?: Attributes) => void;
}

/** Attributes of a span, by the names of OpenTelemetry's conventions where there are some. */
export type Attributes = Readonly<Record<string, string | number>>;

/** Origin of a span. */
export interface SpanOptions {
  /** `traceparent` of its parent; null begins a trace, unless `isRoot` is missing. */
  readonly parent: string | null;
  readonly kind?: 'server' | 'client' | 'internal';
  /** Begins a trace of its own where there is no parent. */
  readonly isRoot?: boolean;
  /** Start in milliseconds of the clock; now unless given. */
  readonly startedAt?: number;
  readonly attributes?: Attributes;
}

/** Records spans. */
export interface Tracing {
  readonly start: (name: string, options: SpanOptions) => Span;
  /** Sends what is still to be sent. */
  readonly close: () => Promise<void>;
}

const NO_SPAN: Span = { traceparent: null, traceId: null, end: () => undefined };

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

/** Settings of traces, which all processes read. Without an address nothing is traced. */
export interface TracingSettings {
  /** Base address of the collector, to which `/v1/traces` is added. */
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string | undefined;
  /** Address that is called as it stands; takes precedence. */
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: string | undefined;
  readonly OTEL_SDK_DISABLED: boolean;
}

/** Process that traces are from. */
export interface TracedProcess {
  readonly service: string;
  readonly logger: Logger;
}
