import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace as traceApi } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { withTimeout } from '../concurrency/index.js';
import { parseTraceparent } from './parse-traceparent.js';
import { NO_TRACING, type Tracing, type TracingSettings } from './tracing.js';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;
const SEND_MS = 5_000;
/** Longest time that a process which ends waits for its last spans. */
const CLOSE_MS = 2_000;

/**
 * Creates tracing that sends spans to a collector in batches (OTLP over HTTP). A collector that does not answer costs spans, never
 * requests: at most 2,048 wait. Parents are given explicitly, so nothing is registered globally and nothing follows promises.
 */
export function createOtlpTracing({
  endpoint,
  service,
}: TracingSettings & { readonly endpoint: string }): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: SEND_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.namespace': 'image-gateway', 'service.name': service }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000 })],
    spanLimits: { attributeValueLengthLimit: 200 },
  });
  const tracer = provider.getTracer('image-gateway');
  return {
    start: (name, { parent, kind = 'internal', isRoot = false, startedAt, attributes }) => {
      const context = toContext(parent);
      if (context === null && !isRoot) {
        return NO_TRACING.start(name, { parent });
      }
      const span = tracer.startSpan(
        name,
        {
          kind: KINDS[kind],
          ...(startedAt !== undefined && { startTime: startedAt }),
          ...(attributes && { attributes }),
        },
        context ?? ROOT_CONTEXT,
      );
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        end: (error) => {
          if (error !== undefined) {
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end();
        },
      };
    },
    close: async () => {
      await withTimeout(
        CLOSE_MS,
        provider.shutdown().catch(() => undefined),
      );
    },
  };
}

function toContext(parent: string | null): Context | null {
  const parsed = parseTraceparent(parent);
  if (parsed === null) {
    return null;
  }
  const { traceId, spanId, flags } = parsed;
  return traceApi.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: flags, isRemote: true });
}
