import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../eventually.js';

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
export interface TraceCollector {
  url: string;
  /** Waits until spans of all these names came in one trace, as many of each as it is named, and returns its spans. */
  trace(traceId: string, names: readonly string[]): Promise<CollectedSpan[]>;
  spans(): readonly CollectedSpan[];
  close(): Promise<void>;
}

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
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const isTraces = request.method === 'POST' && request.url === '/v1/traces';
      if (!isTraces || !request.headers['content-type']?.startsWith('application/json')) {
        response.writeHead(404).end();
        return;
      }
      spans.push(...readSpans(JSON.parse(Buffer.concat(parts).toString()) as Export));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    trace: (traceId, names) =>
      eventually(() => {
        const found = spans.filter((span) => span.traceId === traceId);
        const arrived = found.map(({ name }) => name);
        const missing = names.filter((name) => count(arrived, name) < count(names, name));
        if (missing.length > 0) {
          throw new Error(`no span ${missing.join(', ')}; there are ${arrived.join(', ')}`);
        }
        return found;
      }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
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
