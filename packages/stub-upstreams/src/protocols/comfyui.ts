import { ok, type StubResponse, toRecord } from '../core/call.js';
import type { StubContext } from '../core/create-context.js';
import type { Job } from '../core/create-jobs.js';
import { readAuthorization, type StubProtocol } from '../core/protocol.js';
import { readReplies } from '../core/replies.js';
import { checkGraph, findCount, findPrompt, getUploadPath, parseGraph } from './comfyui-graph.js';
import { runGraph } from './run-comfyui-graph.js';

/** A ComfyUI server: the queue, the history, files, and uploads; keys, limits and a full queue are those of its proxy. */
export const comfyuiProtocol: StubProtocol = {
  name: 'comfyui',
  readKey: (headers) => readAuthorization(headers) ?? '',
  routes: [
    { at: /^GET \/queue$/, kind: 'poll', answer: listQueue },
    { at: /^GET \/history\/(?<job>[^/]+)$/, kind: 'poll', answer: readHistory },
    { at: /^GET \/view$/, kind: 'download', answer: download },
    { at: /^GET \/system_stats$/, kind: 'check', answer: ({ reply }) => reply('stats') },
    { at: /^(?!GET)\w+ \/upload\/image$/, kind: 'check', answer: upload },
    {
      at: /^(?!GET)\w+ \/(?:queue|interrupt)$/,
      kind: 'cancel',
      read: ({ delete: ids, prompt_id: id }) => ({ job: Array.isArray(ids) ? ids[0] : id }),
      answer: cancel,
    },
    {
      at: /^(?!GET)\w+ \/prompt$/,
      kind: 'submit',
      read: ({ prompt }) => {
        const graph = parseGraph(prompt);
        const names = Object.values(graph).map(({ inputs }) => inputs.ckpt_name);
        const model = names.find((name) => typeof name === 'string');
        return { asked: findCount(graph), model, prompt: findPrompt(graph) };
      },
      answer: submit,
    },
  ],
  replies: readReplies('comfyui'),
};

function submit(context: StubContext): StubResponse {
  const { call, uploads, behaviour } = context;
  const checked = checkGraph(call.body, uploads);
  if ('refusal' in checked) {
    return checked.refusal;
  }
  const { graph } = checked;
  const { prompt_id: id } = toRecord(call.body);
  const own = typeof id === 'string' && behaviour.ownIds !== true ? { id } : {};
  const job = context.addJob({ graph }, (ready) => runGraph(context, graph, ready.id), own);
  return ok({ prompt_id: job.id, number: 12, node_errors: {} });
}

async function readHistory(context: StubContext): Promise<StubResponse> {
  const job = context.findJob();
  // A workflow that was deleted from the queue leaves nothing.
  if (job === null || (job.canceledAt !== null && isQueued(job, job.canceledAt))) {
    return ok({});
  }
  if (job.canceledAt !== null) {
    const messages = [['execution_interrupted', { prompt_id: job.id, node_type: 'KSampler' }]];
    return ok({ [job.id]: { outputs: {}, status: { status_str: 'error', completed: false, messages } } });
  }
  return ok(Date.now() < job.readyAt ? {} : { [job.id]: (await job.result).body });
}

/** Lists workflows that wait or run: all that have not ended, as if there were a card for each. */
function listQueue(context: StubContext): StubResponse {
  const open = context.listJobs().filter((job) => job.canceledAt === null && Date.now() < job.readyAt);
  const list = (queued: boolean) =>
    open
      .filter((job) => isQueued(job) === queued)
      .map(({ id }) => [12, id, {}, { client_id: 'a client' }, ['9']]);
  return ok({ queue_running: list(false), queue_pending: list(true) });
}

const isQueued = ({ createdAt, behaviour }: Job, at = Date.now()) =>
  at < createdAt + (behaviour.queuedMs ?? 0);

/** Deletes a workflow that waits, or interrupts one that runs. */
function cancel({ call, jobs, request }: StubContext): StubResponse {
  const job = jobs.find('comfyui', call.job, call.key);
  if (job !== null && Date.now() < job.readyAt && isQueued(job) === (request.path === '/queue')) {
    job.canceledAt ??= Date.now();
  }
  return ok(Buffer.alloc(0));
}

function download({ request, download: send }: StubContext): Promise<StubResponse> {
  const { query } = request;
  return send(query.get('type') === 'output' ? `/files/comfyui/${query.get('filename') ?? ''}` : '');
}

async function upload({ uploads, readFile }: StubContext): Promise<StubResponse> {
  const file = await readFile('image');
  if (file === undefined) {
    return { status: 400, body: Buffer.alloc(0) };
  }
  uploads.set(getUploadPath(file.name), file);
  return ok({ name: file.name, subfolder: '', type: 'input' });
}
