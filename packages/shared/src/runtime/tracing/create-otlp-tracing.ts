import { randomUUID } from 'node:crypto';
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace as traceApi } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { withTimeout } from '../concurrency/index.js';
import { getVersion } from '../config/index.js';
import type { Logger } from '../logging/index.js';
import { parseTraceparent } from './parse-traceparent.js';
import { NO_TRACING, type TracedProcess, type Tracing } from './tracing.js';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;
const SEND_MS = 5_000;
/** Longest time that a process which ends waits for its last spans. */
const CLOSE_MS = 2_000;

/**
 * Creates tracing that sends spans to a collector in batches (OTLP over HTTP). A collector that does not answer costs spans, never
 * requests: at most 2,048 wait. Parents are given explicitly, so nothing is registered globally and nothing follows promises.
 * The libraries read OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES and OTEL_TRACES_SAMPLER themselves.
 */
export function createOtlpTracing(url: string, { service, logger }: TracedProcess): Tracing {
  const exporter = warnOnce(new OTLPTraceExporter({ url, timeoutMillis: SEND_MS }), { url, logger });
  const resource = resourceFromAttributes({
    'service.namespace': 'image-gateway',
    'service.name': `image-gateway-${service}`,
    'service.version': getVersion(),
    'service.instance.id': randomUUID(),
  }).merge(detectResources({ detectors: [envDetector] }));
  const provider = new TracerProvider({
    resource,
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
        traceId,
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        end: (error, more) => {
          if (more) {
            span.setAttributes(more);
          }
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

/** Passes spans on to an exporter, and logs the first failure after each success. */
function warnOnce(
  exporter: SpanExporter,
  { url, logger }: { readonly url: string; readonly logger: Logger },
): SpanExporter {
  let hasWarned = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== 0;
        if (hasFailed && !hasWarned) {
          logger.warn('the collector takes no traces', { collector: new URL(url).host, error: result.error });
        }
        hasWarned = hasFailed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
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
