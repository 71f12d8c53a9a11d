import { NO_TRACING, type Tracing, type TracingSettings } from './tracing.js';

/** Creates the tracing of a process. The packages of OpenTelemetry are not even loaded unless there is a collector. */
export async function createTracing({ endpoint, service }: TracingSettings): Promise<Tracing> {
  if (endpoint === undefined) {
    return NO_TRACING;
  }
  const { createOtlpTracing } = await import('./create-otlp-tracing.js');
  return createOtlpTracing({ endpoint, service });
}
