import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createLogger } from '../logging/index.js';
import { createTracing, NO_TRACING } from './index.js';

let server: http.Server | undefined;
afterEach(() => {
  server?.close();
});

/** Starts a collector that answers each export with the next status, and keeps the paths. */
async function startCollector(statuses: number[]): Promise<{ url: string; paths: (string | undefined)[] }> {
  const paths: (string | undefined)[] = [];
  server = http.createServer((request, response) => {
    paths.push(request.url);
    request.resume().on('end', () => response.writeHead(statuses.shift() ?? 200).end('{}'));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
}

const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'warn', write: (line) => lines.push(line) });
const process = { service: 'test', logger };
const off = {
  OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: undefined,
  OTEL_SDK_DISABLED: false,
};

test('nothing is traced without a collector, nor where OpenTelemetry is disabled', async () => {
  expect(await createTracing(off, process)).toBe(NO_TRACING);
  expect(
    await createTracing(
      { ...off, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: true },
      process,
    ),
  ).toBe(NO_TRACING);
});

test('an address for traces is called as it stands and takes precedence over the base address', async () => {
  const { url, paths } = await startCollector([]);
  for (const tracesEndpoint of [undefined, `${url}/otlp/of/traces`]) {
    const tracing = await createTracing(
      { ...off, OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesEndpoint },
      process,
    );
    tracing.start('a', { parent: null, isRoot: true }).end();
    await tracing.close();
  }
  expect(paths).toEqual(['/v1/traces', '/otlp/of/traces']);
});

test('a collector that takes no traces is told once in the log, and names no header', async () => {
  const { url } = await startCollector([400, 400]);
  const tracing = await createTracing({ ...off, OTEL_EXPORTER_OTLP_ENDPOINT: url }, process);
  tracing.start('a', { parent: null, isRoot: true }).end();
  while (lines.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  tracing.start('b', { parent: null, isRoot: true }).end();
  await tracing.close();
  expect(lines.filter((line) => line.includes('takes no traces'))).toHaveLength(1);
});
