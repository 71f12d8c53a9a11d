import { eventually } from '../eventually.js';
import { startServer } from './start-server.js';

/** A span that reached the collector. */
export interface CollectedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  kind: number;
  attributes: Record<string, string | number | undefined>;
  /** Attributes of the process that it is from. */
  resource: Record<string, string | number | undefined>;
  /** All of its text, for looking for what must not be there. */
  text: string;
}

/** A collector of OpenTelemetry that takes traces as OTLP over HTTP in JSON. */
export type TraceCollector = Awaited<ReturnType<typeof startTraceCollector>>;

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string };
}
interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: (Omit<CollectedSpan, 'service' | 'text' | 'attributes' | 'resource'> & {
        attributes: Attribute[];
        status?: unknown;
      })[];
    }[];
  }[];
}

/** Starts a collector on 127.0.0.1. It answers 404 to everything but `POST /v1/traces` in JSON. */
export async function startTraceCollector() {
  const spans: CollectedSpan[] = [];
  const { url, close } = await startServer((response, { method, path, headers, raw }) => {
    const isTraces = method === 'POST' && path === '/v1/traces';
    if (!isTraces || !headers['content-type']?.startsWith('application/json')) {
      response.writeHead(404).end();
      return;
    }
    spans.push(...readSpans(JSON.parse(raw.toString()) as Export));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return {
    url: url(''),
    spans: (): readonly CollectedSpan[] => spans,
    /** Waits until spans of all these names came in one trace, as many of each as it is named, and returns its spans. */
    trace: (traceId: string, names: readonly string[]) =>
      eventually(() => {
        const found = spans.filter((span) => span.traceId === traceId);
        const arrived = found.map(({ name }) => name);
        const missing = names.filter((name) => count(arrived, name) < count(names, name));
        if (missing.length > 0) {
          throw new Error(`no span ${missing.join(', ')}; there are ${arrived.join(', ')}`);
        }
        return found;
      }),
    close,
  };
}

function count(names: readonly string[], name: string): number {
  return names.filter((one) => one === name).length;
}

function readSpans({ resourceSpans }: Export): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource: { attributes }, scopeSpans }) => {
    const resource = readAttributes(attributes);
    const service = String(resource['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        service,
        resource,
        attributes: readAttributes(span.attributes),
        text: JSON.stringify(span),
      })),
    );
  });
}

function readAttributes(attributes: readonly Attribute[]): CollectedSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue } }) => [key, stringValue ?? Number(intValue)]),
  );
}
