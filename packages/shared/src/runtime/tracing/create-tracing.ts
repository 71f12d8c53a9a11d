import { NO_TRACING, type Tracing, type TracingSettings } from './tracing.js';

/** Creates the tracing of a process. The packages of OpenTelemetry are not even loaded unless there is a collector. */
export async function createTracing({
  endpoint,
  tracesEndpoint,
  isDisabled,
  service,
  logger,
}: TracingSettings): Promise<Tracing> {
  const base = endpoint?.replace(/\/+$/, '');
  const url = tracesEndpoint ?? (base === undefined ? undefined : `${base}/v1/traces`);
  if (url === undefined || isDisabled) {
    return NO_TRACING;
  }
  const { createOtlpTracing } = await import('./create-otlp-tracing.js');
  return createOtlpTracing({ url, service, logger });
}
