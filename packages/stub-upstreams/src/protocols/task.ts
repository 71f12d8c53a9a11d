import type { Refusal } from '../core/behaviour.js';
import { ok, type StubCall, type StubResponse, waitFor } from '../core/call.js';
import { repeat, type StubContext } from '../core/create-context.js';
import type { Job } from '../core/create-jobs.js';
import { checkFields } from '../core/fields.js';
import { type Route, readAuthorization, type StubProtocol, withJob } from '../core/protocol.js';
import { getGoogleSize } from '../images/get-google-size.js';
import { VENDORS, type Vendor } from './task-vendors.js';

const REFUSALS: Readonly<Record<Refusal | 'job-lost', readonly [number, string, string]>> = {
  overload: [503, 'overloaded', 'The service is overloaded'],
  'rate-limit': [429, 'rate_limited', 'Too many requests'],
  auth: [401, 'unauthorized', 'Invalid API key'],
  quota: [402, 'insufficient_quota', 'Insufficient quota'],
  billing: [402, 'insufficient_balance', 'Insufficient balance'],
  'model-gone': [404, 'model_not_found', 'The model does not exist'],
  geo: [403, 'forbidden', 'This service is not available in your region'],
  'server-error': [500, 'internal_error', 'Internal error'],
  timeout: [504, 'timeout', 'Gateway timeout'],
  'job-lost': [404, 'not_found', 'The task does not exist'],
};
const FAILURES: Readonly<Record<string, readonly [string, string]>> = {
  moderation: ['content_policy_violation', 'The request was rejected by content moderation.'],
  'invalid-input': ['invalid_input', 'The upstream provider refused the input.'],
};

/** Task APIs of all vendors, each in a folder of its own and with refusals in its own words. */
export const createTaskProtocols = (): readonly StubProtocol[] =>
  Object.entries(VENDORS).map(([name, vendor]) => ({
    name: 'task',
    readKey: (headers) => readAuthorization(headers),
    routes: buildRoutes(`/task/${name}`, vendor),
    replies: (name, { seconds }) => {
      const answer = vendor.refusal(...REFUSALS[name === 'no-key' ? 'auth' : (name as Refusal)]);
      return name === 'rate-limit' ? { ...answer, headers: waitFor(Number(seconds)) } : answer;
    },
  }));

function buildRoutes(folder: string, vendor: Vendor): readonly Route[] {
  const [poll = '', parameter] = vendor.poll.split('?');
  const known = new Map<string, string>();
  const route = (
    kind: Route['kind'],
    of: string,
    answer: Route['answer'],
    read: Route['read'] = () => ({}),
  ) => ({
    kind,
    at: new RegExp(`^${kind === 'poll' ? 'GET' : 'POST'} ${folder}${of}$`),
    read,
    answer,
  });
  const follow = withJob(({ call }, job) => followJob(call, job, vendor));
  return [
    parameter
      ? route('poll', poll, follow, (_json, { query }) => ({ job: query.get('taskId') }))
      : route('poll', `${poll}(?<job>.*)`, follow),
    ...(vendor.cancels ? [route('cancel', `${poll}(?<job>[^/]+)/cancel`, follow)] : []),
    ...(vendor.upload ? [route('check', vendor.upload.path, (context) => upload(context, vendor))] : []),
    ...Object.keys(vendor.submits).map((path) =>
      route(
        'submit',
        path,
        (context) => submit(context, vendor, path, known),
        (json) => {
          const input = vendor.read(json);
          return { model: json.model, prompt: input.prompt, asked: input[vendor.names.number] };
        },
      ),
    ),
  ];
}

/** Begins a job; a repetition with the same `idempotency-key` is the same job. */
async function submit(
  context: StubContext,
  vendor: Vendor,
  path: string,
  known: Map<string, string>,
): Promise<StubResponse> {
  const { call, request, mode } = context;
  const { model } = call;
  const faults = checkFields(call.body, vendor.submits[path] ?? {});
  if (faults.length > 0 || model === null) {
    const where = faults.map(({ path: at, fault }) => `${at.join('.')} (${fault})`).join(', ');
    return vendor.refusal(400, 'invalid_request', `Invalid request: ${where}`);
  }
  const { 'idempotency-key': own } = request.headers;
  const repeated = known.get(`${call.key} ${own}`);
  if (repeated !== undefined) {
    return vendor.accepted({ id: repeated, model });
  }
  const input = vendor.read(call.body);
  await context.readInputs(vendor.listInputs(input));
  const job = context.addJob(input, (ready) => {
    const [code, message] = FAILURES[mode] ?? [];
    if (code !== undefined && message !== undefined) {
      return ok(vendor.failed(ready, { code, message }));
    }
    const { ratio, resolution } = vendor.names;
    const size = String(input[resolution] ?? '1K').toUpperCase();
    const [width = 0, height = 0] = size.split('X').map(Number);
    const pixels = height > 0 ? { width, height } : getGoogleSize(input[ratio], size);
    const made = context.bill(call.asked);
    return ok(
      vendor.done(
        ready,
        repeat(made, () => context.keep({ ...pixels, format: 'png' })),
      ),
    );
  });
  if (own !== undefined) {
    known.set(`${call.key} ${own}`, job.id);
  }
  return mode === 'invalid-base64' ? ok({ code: 200, message: 'accepted' }) : vendor.accepted(job);
}

async function upload({ request, uploads, readFile }: StubContext, vendor: Vendor): Promise<StubResponse> {
  const file = await readFile('file');
  if (file === undefined) {
    return vendor.refusal(400, 'invalid_request', 'file is missing');
  }
  const url = `${request.origin}/uploaded/${uploads.size}-${file.name}`;
  uploads.set(url, file);
  return ok(vendor.upload?.answer(url) ?? {});
}

function followJob({ kind }: StubCall, job: Job, vendor: Vendor): StubResponse | Promise<StubResponse> {
  const isEnded = job.canceledAt === null && Date.now() >= job.readyAt;
  if (kind === 'cancel' && !isEnded) {
    job.canceledAt ??= Date.now();
  }
  if (job.canceledAt !== null) {
    return ok(vendor.failed(job, { code: 'canceled', message: 'The task was canceled.' }));
  }
  return isEnded ? job.result : ok(vendor.running(job));
}
