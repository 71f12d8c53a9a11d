import type { CallKind } from '../core/behaviour.js';
import { buildDownload } from '../core/build-download.js';
import type { Job } from '../core/create-jobs.js';
import type { StubCall, StubContext, StubProtocol, StubRequest } from '../core/protocol.js';
import { readForm } from '../core/read-form.js';
import { readJson } from '../core/read-json.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { checkGraph, getUploadPath } from './check-graph.js';
import { comfyuiRefusal, comfyuiWrongKey } from './comfyui-errors.js';
import { findCount, findPrompt, runGraph } from './run-graph.js';

const HISTORY = /^\/history\/([^/]+)$/;
const KINDS: ReadonlyMap<string, CallKind> = new Map([
  ['/queue', 'poll'],
  ['/view', 'download'],
  ['/system_stats', 'check'],
]);
const ok = (body: object): StubResponse => ({ status: 200, body });
const empty: StubResponse = { status: 200, body: Buffer.alloc(0) };

/** A ComfyUI server: the queue, the history, files, and uploads. */
export const comfyuiProtocol: StubProtocol = {
  name: 'comfyui',
  read: async (request) => {
    const call = readCall(request);
    return call?.kind === 'check' ? { ...call, files: (await readForm(request))?.files ?? [] } : call;
  },
  wrongKey: comfyuiWrongKey,
  refuse: comfyuiRefusal,
  answer: async (call, request, context) => {
    switch (call.kind) {
      case 'submit':
        return submit(call, context);
      case 'poll':
        return request.path === '/queue'
          ? ok(listQueue(call, context))
          : ok(await readHistory(call, context));
      case 'cancel':
        return cancel(call, request, context);
      case 'download':
        return download(request, context);
      case 'check':
      case 'result':
        return upload(call, request, context);
    }
  },
};

function readCall({ method, path, headers, body }: StubRequest): StubCall | null {
  const key = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const of = { key, model: null, prompt: null, asked: 0, job: null, body: undefined };
  const id = HISTORY.exec(path)?.[1];
  if (method === 'GET') {
    const kind = id === undefined ? KINDS.get(path) : 'poll';
    return kind === undefined ? null : { ...of, kind, job: id ?? null };
  }
  if (path === '/upload/image') {
    return { ...of, kind: 'check' };
  }
  const json = readJson(body);
  if (path === '/queue' || path === '/interrupt') {
    const { delete: ids, prompt_id: one } = toRecord(json);
    return { ...of, kind: 'cancel', job: String(Array.isArray(ids) ? ids[0] : one), body: json };
  }
  if (path !== '/prompt') {
    return null;
  }
  const graph = Object.fromEntries(
    Object.entries(toRecord(toRecord(json).prompt)).map(([name, node]) => {
      const { class_type, inputs } = toRecord(node);
      return [name, { class_type: String(class_type), inputs: toRecord(inputs) }];
    }),
  );
  const loader = Object.values(graph).find(({ inputs }) => typeof inputs.ckpt_name === 'string');
  return {
    kind: 'submit',
    key,
    job: null,
    asked: findCount(graph),
    body: json,
    model: loader === undefined ? null : String(loader.inputs.ckpt_name),
    prompt: findPrompt(graph),
  };
}

function submit(call: StubCall, context: StubContext): StubResponse {
  const checked = checkGraph(call.body, context.uploads);
  if ('refusal' in checked) {
    return checked.refusal;
  }
  const { graph } = checked;
  const { prompt_id: id } = toRecord(call.body);
  const job = context.jobs.add(
    {
      provider: 'comfyui',
      model: call.model ?? '',
      key: call.key,
      input: { graph },
      behaviour: context.behaviour,
      ...(typeof id === 'string' && context.behaviour.ownIds !== true && { id }),
    },
    (ready) => runGraph(ready, context),
  );
  context.noteJob(job.id);
  return ok({ prompt_id: job.id, number: 12, node_errors: {} });
}

async function readHistory(call: StubCall, context: StubContext): Promise<object> {
  const job = context.jobs.find('comfyui', call.job, call.key);
  if (job === null || context.behaviour.mode === 'job-lost') {
    return {};
  }
  // A workflow that was deleted from the queue leaves nothing.
  if (job.canceledAt !== null && job.canceledAt < job.createdAt + (job.behaviour.queuedMs ?? 0)) {
    return {};
  }
  if (job.canceledAt !== null) {
    const messages = [['execution_interrupted', { prompt_id: job.id, node_type: 'KSampler' }]];
    return { [job.id]: { outputs: {}, status: { status_str: 'error', completed: false, messages } } };
  }
  if (Date.now() < job.readyAt) {
    return {};
  }
  return { [job.id]: (await job.result).body };
}

/** Workflows that wait or run: all that have not ended, as if there were a card for each. */
function listQueue(call: StubCall, { jobs, behaviour }: StubContext): object {
  const open = jobs
    .list('comfyui', call.key)
    .filter(({ canceledAt, readyAt }) => canceledAt === null && Date.now() < readyAt);
  const list = (isIn: (job: Job) => boolean) =>
    behaviour.mode === 'job-lost'
      ? []
      : open.filter(isIn).map(({ id }) => [12, id, {}, { client_id: 'a client' }, ['9']]);
  return { queue_running: list((job) => !waits(job)), queue_pending: list(waits) };
}

function waits({ createdAt, behaviour }: Job): boolean {
  return Date.now() < createdAt + (behaviour.queuedMs ?? 0);
}

/** Deletes a workflow that waits, or interrupts one that runs. */
function cancel(call: StubCall, { path }: StubRequest, { jobs }: StubContext): StubResponse {
  const job = jobs.find('comfyui', call.job, call.key);
  if (job !== null && Date.now() < job.readyAt && waits(job) === (path === '/queue')) {
    job.canceledAt ??= Date.now();
  }
  return empty;
}

function download({ query }: StubRequest, { images, behaviour }: StubContext): Promise<StubResponse> {
  const path = query.get('type') === 'output' ? `/files/comfyui/${query.get('filename') ?? ''}` : '';
  return buildDownload(path, images, behaviour);
}

function upload({ files = [] }: StubCall, { path }: StubRequest, { uploads }: StubContext): StubResponse {
  if (path === '/system_stats') {
    return ok({ system: { os: 'posix', comfyui_version: '0.3.68' }, devices: [{ name: 'cuda:0' }] });
  }
  const file = files.find(({ field }) => field === 'image');
  if (file === undefined) {
    return { status: 400, body: Buffer.alloc(0) };
  }
  uploads.set(getUploadPath(file.name), file);
  return ok({ name: file.name, subfolder: '', type: 'input' });
}
