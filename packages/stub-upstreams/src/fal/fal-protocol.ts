import type { Job } from '../core/create-jobs.js';
import type { StubCall, StubContext, StubProtocol, StubRequest } from '../core/protocol.js';
import { readJson } from '../core/read-json.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { FAL_APPS } from './apps.js';
import { buildResult } from './build-result.js';
import { falError, falRefusal, falWrongKey } from './fal-errors.js';

const QUEUED_SHARE = 0.3;
const JOB = /^\/([^/]+\/[^/]+)\/requests\/([^/]+)(?:\/(status|cancel))?$/;
const APP = /^\/([^/]+\/[^/]+(?:\/[^/]+){0,3})$/;
const PRIORITIES = ['normal', 'low'];

/** fal's queue: submit, status, result, cancel. Its results say where the files are. */
export const falProtocol: StubProtocol = {
  name: 'fal',
  read: (request) => Promise.resolve(readCall(request)),
  wrongKey: ({ model }) => falWrongKey(model),
  refuse: falRefusal,
  answer: async (call, request, context) => {
    if (call.kind === 'submit') {
      return submit(call, request, context);
    }
    const job = context.jobs.find('fal', call.job, call.key);
    if (job === null || context.behaviour.mode === 'job-lost') {
      return falError(404, 'Request not found');
    }
    if (call.kind === 'cancel') {
      return cancel(job);
    }
    if (call.kind === 'poll') {
      return getStatus(job, request);
    }
    return (await resultIfReady(job)) ?? falError(400, 'Request is still in progress');
  },
};

function readCall({ method, path, headers, body }: StubRequest): StubCall | null {
  const key = /^Key (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null;
  const of = { key, prompt: null, asked: 0, body: undefined };
  const [, app, id, verb] = JOB.exec(path) ?? [];
  if (app !== undefined && id !== undefined) {
    if (verb === 'cancel') {
      return method === 'PUT' ? { ...of, kind: 'cancel', model: app, job: id } : null;
    }
    if (method !== 'GET') {
      return null;
    }
    return { ...of, kind: verb === 'status' ? 'poll' : 'result', model: app, job: id };
  }
  const endpoint = APP.exec(path)?.[1];
  if (endpoint === undefined || method !== 'POST') {
    return null;
  }
  const json = readJson(body);
  const { prompt, num_images: count = 1 } = toRecord(json);
  return {
    kind: 'submit',
    key,
    model: endpoint,
    job: null,
    body: json,
    prompt: typeof prompt === 'string' ? prompt : null,
    asked: Number(count),
  };
}

function submit(
  { model, key, body }: StubCall,
  { headers, origin }: StubRequest,
  context: StubContext,
): StubResponse {
  if (model === null || FAL_APPS[model] === undefined) {
    return falError(404, `Application '${model ?? ''}' not found`);
  }
  if (body === undefined) {
    return falError(422, 'Request body is not valid JSON');
  }
  const priority = headers['x-fal-queue-priority'] ?? 'normal';
  if (!PRIORITIES.includes(priority)) {
    return falError(400, `Invalid queue priority: ${priority}`);
  }
  const startTimeout = headers['x-fal-request-timeout'];
  if (startTimeout !== undefined && !(Number(startTimeout) >= 1)) {
    return falError(400, 'x-fal-request-timeout must be a number of seconds');
  }
  // Without the header fal keeps images for ever.
  const preference = headers['x-fal-object-lifecycle-preference'];
  const lifetime = preference === undefined ? Number.POSITIVE_INFINITY : readLifetime(preference);
  if (lifetime === null) {
    return falError(400, 'x-fal-object-lifecycle-preference must have expiration_duration_seconds');
  }
  const job = context.jobs.add(
    { provider: 'fal', model, key, input: toRecord(body), behaviour: context.behaviour },
    (ready) => buildResult(ready, { context, origin, lifetime }),
  );
  context.noteJob(job.id);
  return { status: 200, body: { status: 'IN_QUEUE', ...buildJobUrls(job, origin), queue_position: 0 } };
}

function readLifetime(header: string): number | null {
  const { expiration_duration_seconds: seconds } = toRecord(readJson(Buffer.from(header)));
  return typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 1 ? seconds : null;
}

function buildJobUrls({ id, model }: Job, origin: string): object {
  // Owner and name only: `/edit` is dropped.
  const base = `${origin}/${model.split('/').slice(0, 2).join('/')}/requests/${id}`;
  return { request_id: id, response_url: base, status_url: `${base}/status`, cancel_url: `${base}/cancel` };
}

async function getStatus(job: Job, { origin }: StubRequest): Promise<StubResponse> {
  const now = Date.now();
  const of = buildJobUrls(job, origin);
  const status = (name: string, code: number, more: object): StubResponse => ({
    status: code,
    body: { status: name, ...of, ...more },
  });
  if (job.canceledAt !== null) {
    return status('COMPLETED', 200, {
      logs: null,
      error: 'Request was cancelled',
      error_type: 'request_cancelled',
    });
  }
  if (now < job.createdAt + (job.readyAt - job.createdAt) * QUEUED_SHARE) {
    return status('IN_QUEUE', 202, { queue_position: 1 });
  }
  if (now < job.readyAt) {
    return status('IN_PROGRESS', 202, { logs: null });
  }
  await job.result;
  return status('COMPLETED', 200, { logs: null, metrics: { inference_time: (now - job.createdAt) / 1000 } });
}

async function resultIfReady(job: Job): Promise<StubResponse | null> {
  if (job.canceledAt !== null) {
    return falError(400, 'Request was cancelled', 'request_cancelled');
  }
  if (Date.now() < job.readyAt) {
    return null;
  }
  const result = await job.result;
  return { ...result, headers: { ...result.headers, 'x-fal-request-id': job.id } };
}

function cancel(job: Job): StubResponse {
  if (Date.now() >= job.readyAt) {
    return { status: 400, body: { status: 'ALREADY_COMPLETED' } };
  }
  job.canceledAt = Date.now();
  return { status: 202, body: { status: 'CANCELLATION_REQUESTED' } };
}
