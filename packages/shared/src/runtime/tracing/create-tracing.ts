import { NO_TRACING, type TracedProcess, type Tracing, type TracingSettings } from './tracing.js';

/** Creates the tracing of a process. The packages of OpenTelemetry are not even loaded unless there is a collector. */
export async function createTracing(
  {
    OTEL_EXPORTER_OTLP_ENDPOINT: base,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesUrl,
    OTEL_SDK_DISABLED: isDisabled,
  }: TracingSettings,
  process: TracedProcess,
): Promise<Tracing> {
  const url = tracesUrl ?? (base === undefined ? undefined : `${base.replace(/\/+$/, '')}/v1/traces`);
  if (url === undefined || isDisabled) {
    return NO_TRACING;
  }
  const { createOtlpTracing } = await import('./create-otlp-tracing.js');
  return createOtlpTracing(url, process);
}
