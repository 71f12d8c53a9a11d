import type { Behaviour, Refusal } from '../core/behaviour.js';
import { checkFields } from '../core/check-fields.js';
import type { Job } from '../core/create-jobs.js';
import { getRetryAfterSeconds } from '../core/get-retry-after-seconds.js';
import type { StubCall, StubContext, StubProtocol, StubRequest } from '../core/protocol.js';
import { readForm } from '../core/read-form.js';
import { readJson } from '../core/read-json.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { describeInput } from '../images/describe-input.js';
import { getGoogleSize } from '../images/get-google-size.js';
import { VENDORS, type Vendor, type VendorName } from './vendors.js';

const FOLDER = /^\/task\/([a-z0-9]+)(\/.*)$/;
const REFUSALS: Readonly<Record<Refusal, readonly [number, string, string]>> = {
  overload: [503, 'overloaded', 'The service is overloaded'],
  'rate-limit': [429, 'rate_limited', 'Too many requests'],
  auth: [401, 'unauthorized', 'Invalid API key'],
  quota: [402, 'insufficient_quota', 'Insufficient quota'],
  billing: [402, 'insufficient_balance', 'Insufficient balance'],
  'model-gone': [404, 'model_not_found', 'The model does not exist'],
  geo: [403, 'forbidden', 'This service is not available in your region'],
  'server-error': [500, 'internal_error', 'Internal error'],
  timeout: [504, 'timeout', 'Gateway timeout'],
};

interface Place {
  readonly name: VendorName;
  readonly vendor: Vendor;
  /** Below the vendor's own folder. */
  readonly path: string;
}

/** Task APIs of all vendors, each in a folder of its own. A repetition with the same `idempotency-key` is the same job. */
export function createTaskProtocol(): StubProtocol {
  const known = new Map<string, string>();
  return {
    name: 'task',
    read: async (request) => {
      const place = findPlace(request);
      const call = place && readCall(place, request);
      return call?.kind === 'check' ? { ...call, files: (await readForm(request))?.files ?? [] } : call;
    },
    wrongKey: (call) => refuse(call, 'auth'),
    refuse: (refusal, call, behaviour) => {
      const answer = refuse(call, refusal);
      const headers =
        refusal === 'rate-limit' ? { 'retry-after': String(getRetryAfterSeconds(behaviour)) } : {};
      return { ...answer, headers };
    },
    answer: (call, request, context) => {
      const place = findPlace(request);
      if (place === null) {
        return Promise.resolve({ status: 404, body: null });
      }
      if (call.kind === 'submit') {
        return submit(known, { place, call, request, context });
      }
      return call.kind === 'check'
        ? Promise.resolve(upload(place, call, request, context))
        : follow(place, call, context);
    },
  };
}

function findPlace({ path }: Pick<StubRequest, 'path'>): Place | null {
  const [, name = '', rest = ''] = FOLDER.exec(path) ?? [];
  return Object.hasOwn(VENDORS, name)
    ? { name: name as VendorName, vendor: VENDORS[name as VendorName], path: rest }
    : null;
}

function readCall({ vendor, path }: Place, { method, query, headers, body }: StubRequest): StubCall | null {
  const key = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null;
  // The vendor's folder tells in what words it is refused.
  const of = { key, model: null, prompt: null, asked: 0, job: null, body: { vendor } };
  if (method === 'GET' && path === vendor.poll.split('?')[0] && vendor.poll.includes('?')) {
    return { ...of, kind: 'poll', job: query.get('taskId') };
  }
  if (method === 'GET' && path.startsWith(vendor.poll)) {
    return { ...of, kind: 'poll', job: path.slice(vendor.poll.length) };
  }
  const id = path.slice(vendor.poll.length).split('/')[0] ?? '';
  if (method === 'POST' && vendor.cancel?.(id) === path) {
    return { ...of, kind: 'cancel', job: id };
  }
  if (method === 'POST' && path === vendor.upload?.path) {
    return { ...of, kind: 'check' };
  }
  if (method !== 'POST' || !Object.hasOwn(vendor.submits, path)) {
    return null;
  }
  const json = readJson(body);
  const input = vendor.read(json);
  const asked = Number(input[vendor.names.number] ?? 1);
  const { model } = toRecord(json);
  return {
    kind: 'submit',
    key,
    job: null,
    asked,
    body: json,
    model: typeof model === 'string' ? model : null,
    prompt: typeof input.prompt === 'string' ? input.prompt : null,
  };
}

function refuse(call: StubCall, refusal: Refusal): StubResponse {
  const vendor = (toRecord(call.body).vendor as Vendor | undefined) ?? VENDORS.evolink;
  return vendor.refusal(...REFUSALS[refusal]);
}

async function submit(
  known: Map<string, string>,
  {
    place: { name, vendor, path },
    call,
    request,
    context,
  }: {
    readonly place: Place;
    readonly call: StubCall;
    readonly request: StubRequest;
    readonly context: StubContext;
  },
): Promise<StubResponse> {
  const faults = checkFields(call.body, vendor.submits[path] ?? {});
  if (faults.length > 0 || call.model === null) {
    const where = faults.map(({ path: at, fault }) => `${at.join('.')} (${fault})`).join(', ');
    return vendor.refusal(400, 'invalid_request', `Invalid request: ${where}`);
  }
  const { model } = call;
  const repeated = known.get(`${name} ${call.key} ${request.headers['idempotency-key']}`);
  if (repeated !== undefined) {
    return vendor.accepted({ id: repeated, model });
  }
  const input = vendor.read(call.body);
  const inputs = await Promise.all(
    vendor
      .listInputs(input)
      .map((url) => describeInput(context.uploads.get(String(url))?.bytes ?? String(url))),
  );
  context.noteInputs(inputs.map(({ digest }) => digest));
  const job = context.jobs.add(
    { provider: 'task', model, key: call.key, input, behaviour: context.behaviour },
    (ready) => Promise.resolve(end(vendor, ready, { asked: call.asked, origin: request.origin, context })),
  );
  context.noteJob(job.id);
  if (request.headers['idempotency-key'] !== undefined) {
    known.set(`${name} ${call.key} ${request.headers['idempotency-key']}`, job.id);
  }
  if (context.behaviour.mode === 'invalid-base64') {
    return { status: 200, body: { code: 200, message: 'accepted' } };
  }
  return vendor.accepted({ id: job.id, model });
}

function end(
  vendor: Vendor,
  job: Job,
  {
    asked,
    origin,
    context,
  }: { readonly asked: number; readonly origin: string; readonly context: StubContext },
): StubResponse {
  const { behaviour, input } = job;
  const outcome = describeOutcome(behaviour);
  if (outcome !== null) {
    return { status: 200, body: vendor.failed(job, outcome) };
  }
  const made = behaviour.mode === 'fewer-images' ? (behaviour.images ?? asked - 1) : asked;
  const images = behaviour.mode === 'no-image' ? 0 : made;
  context.bill(images);
  const resolution = String(input[vendor.names.resolution] ?? '1K').toUpperCase();
  const [width = 0, height = 0] = resolution.split('X').map(Number);
  const size = height > 0 ? { width, height } : getGoogleSize(input[vendor.names.ratio], resolution);
  const urls = Array.from(
    { length: images },
    () => `${origin}${context.images.keep('task', { ...size, format: 'png' }, behaviour)}`,
  );
  return { status: 200, body: vendor.done(job, urls) };
}

function describeOutcome({ mode }: Behaviour): { readonly code: string; readonly message: string } | null {
  if (mode === 'moderation') {
    return { code: 'content_policy_violation', message: 'The request was rejected by content moderation.' };
  }
  if (mode === 'invalid-input') {
    return { code: 'invalid_input', message: 'The upstream provider refused the input.' };
  }
  return null;
}

function upload(
  { vendor }: Place,
  { files = [] }: StubCall,
  { origin }: StubRequest,
  { uploads }: StubContext,
): StubResponse {
  const file = files.find(({ field }) => field === 'file');
  if (file === undefined) {
    return vendor.refusal(400, 'invalid_request', 'file is missing');
  }
  const url = `${origin}/uploaded/${uploads.size}-${file.name}`;
  uploads.set(url, file);
  return { status: 200, body: vendor.upload?.answer(url) ?? {} };
}

async function follow({ vendor }: Place, call: StubCall, context: StubContext): Promise<StubResponse> {
  const job = context.jobs.find('task', call.job, call.key);
  if (job === null || context.behaviour.mode === 'job-lost') {
    return vendor.refusal(404, 'not_found', 'The task does not exist');
  }
  const ended = job.canceledAt === null && Date.now() >= job.readyAt;
  if (call.kind === 'cancel' && !ended) {
    job.canceledAt ??= Date.now();
  }
  if (job.canceledAt !== null) {
    return { status: 200, body: vendor.failed(job, { code: 'canceled', message: 'The task was canceled.' }) };
  }
  return ended ? job.result : { status: 200, body: vendor.running(job) };
}
