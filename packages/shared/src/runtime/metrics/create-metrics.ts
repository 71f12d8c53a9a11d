import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricValue,
  Registry,
} from '@prometheus-io/client';
import { getVersion } from '../config/index.js';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Default metrics of the library that are gauges and end in `_total`, or have their type in their name; others say the same. */
const MISNAMED = [
  'nodejs_eventloop_utilization_histogram',
  'nodejs_eventloop_utilization_summary',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Makes the registry of a process and every metric the product has; the names are documented in docs/monitoring.md. */
export function createMetrics(service: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) {
    registry.removeSingleMetric(name);
  }
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter<L>({ name: `gateway_${name}`, help, labelNames: [...labelNames], registers });
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Histogram<L>({
      name: `gateway_${name}`,
      help,
      labelNames: [...labelNames],
      buckets: SECONDS,
      registers,
    });
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge<L>({ name: `gateway_${name}`, help, labelNames: [...labelNames], registers });
  /** Gauge without a value until one is set, for what only some processes measure. */
  const unsetGauge = (name: string, help: string) => {
    const created = gauge(name, help);
    created.remove();
    return created;
  };
  gauge('build_info', 'Version of the gateway and of Node.js; always 1', ['version', 'node']).set(
    { version: getVersion(), node: process.versions.node },
    1,
  );
  /** Counter in dollars. Its name in micro-dollars is deprecated. @until 0.5.0 */
  const dollars = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) => {
    const current = counter(`${name}_dollars_total`, `${help}, in dollars`, labelNames);
    const previous = counter(
      `${name}_micros_total`,
      `Deprecated: use gateway_${name}_dollars_total`,
      labelNames,
    );
    return {
      addMicros: (micros: bigint, labels = {} as MetricValue<L>['labels']): void => {
        current.inc(labels, Number(micros) / 1e6);
        previous.inc(labels, Number(micros));
      },
    };
  };
  return {
    registry,
    connectionsDropped: counter(
      'http_connections_dropped_total',
      'Connections dropped because the process, or their address, has as many as it can have',
    ),
    httpRequests: counter('http_requests_total', 'Answered requests', ['method', 'route', 'status']),
    httpSeconds: histogram('http_request_seconds', 'Time to answer a request', ['method', 'route']),
    tasksAccepted: counter('tasks_accepted_total', 'Tasks accepted', ['model']),
    filesUploaded: counter('files_uploaded_total', 'Files of POST /v1/files that were stored or refused', [
      'result',
    ]),
    tasksFinished: counter('tasks_finished_total', 'Tasks settled by this process', ['status']),
    taskSeconds: histogram('task_seconds', 'Time from submit to settlement', ['status']),
    attempts: counter('attempts_total', 'Attempts by how they ended', ['outcome']),
    providerCalls: counter('provider_calls_total', 'Provider calls by outcome', ['provider', 'outcome']),
    decoderFailures: counter('decoder_failures_total', 'Decoders of images that could not be started'),
    providerAlerts: counter('provider_alerts_total', 'Provider failures that an operator has to look at', [
      'provider',
      'model',
      'failure',
    ]),
    upstreamCost: dollars('upstream_cost', 'Cost of provider calls', ['provider']),
    revenue: dollars('revenue', 'Charges for tasks settled by this process'),
    providerSeconds: histogram('provider_call_seconds', 'Time of a provider call', ['provider']),
    imagesStored: counter('images_stored_total', 'Images stored'),
    sweeps: counter('sweeps_total', 'What the sweeps did', ['what']),
    hints: counter('hints_total', 'Queue hints sent, by result', ['queue', 'result']),
    limiterFallbacks: counter(
      'limiter_fallbacks_total',
      'Rate-limit decisions made in memory because Redis did not answer',
    ),
    webhookAttempts: counter('webhook_attempts_total', 'Webhook attempts by outcome', ['outcome']),
    webhookDelaySeconds: histogram(
      'webhook_delay_seconds',
      'How late a webhook attempt started, having waited for a worker alone, or for its account or receiver too',
      ['waited_for'],
    ),
    spoolBytes: gauge('spool_bytes', 'Bytes of responses or uploads in the spool of this process'),
    answerMemoryBytes: gauge(
      'answer_memory_bytes',
      'Memory that responses hold from being decoded until their images are stored',
    ),
    callsWaiting: gauge(
      'calls_waiting',
      'Provider calls that wait for the object store to take images or for room in the spool',
    ),
    catalogVersion: gauge('catalog_version', 'Catalog version that this process uses'),
    catalogBehind: gauge(
      'catalog_versions_behind',
      'Newer catalog versions that this process cannot read; 0 unless something is wrong',
    ),
    facadeAnswers: counter(
      'facade_answers_total',
      'Answers of the OpenAI-compatible facade that were delivered, not delivered, or taken over by an equal request',
      ['result'],
    ),
    waitingRequests: gauge('waiting_requests', 'Requests and event streams that wait for the end of a task'),
    running: gauge('running', 'Work under way in this process'),
    tasksSetAside: gauge(
      'tasks_set_aside',
      'Tasks that could not be ended and are tried again after a backoff',
    ),
    dueTasks: unsetGauge('due_tasks', 'Tasks that could be claimed now, at most 20000; from the API only'),
    dueDeliveries: unsetGauge(
      'due_deliveries',
      'Webhooks that could be sent now, at most 20000; from the API only',
    ),
    oldestDueSeconds: unsetGauge(
      'oldest_due_seconds',
      'How long the oldest due task, or webhook whose account and receiver are not being called, has been waiting; not from ' +
        'webhook workers',
    ),
  };
}

/** The metrics of a process. */
export type Metrics = ReturnType<typeof createMetrics>;
