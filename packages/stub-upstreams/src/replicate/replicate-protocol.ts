import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkFields, type FieldRule } from '../core/check-fields.js';
import type { StubCall, StubContext, StubProtocol, StubRequest } from '../core/protocol.js';
import { readForm } from '../core/read-form.js';
import { readJson } from '../core/read-json.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { buildOutcome } from './build-outcome.js';
import { buildPrediction } from './build-prediction.js';
import {
  replicateError,
  replicateNotFound,
  replicateRefusal,
  replicateViolations,
  replicateWrongKey,
} from './replicate-errors.js';

const RATIOS = ['match_input_image', '1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];

const first: Readonly<Record<string, FieldRule>> = {
  prompt: { type: 'string', required: true },
  image_input: { type: 'array', max: 14, items: { type: 'string' } },
  aspect_ratio: { type: 'string', allowed: RATIOS },
  output_format: { type: 'string', allowed: ['jpg', 'png'] },
};
const resolution: FieldRule = { type: 'string', allowed: ['1K', '2K', '4K'] };
const flag: FieldRule = { type: 'boolean' };
const two = { ...first, resolution, google_search: flag, image_search: flag };

/** The models with the fields of their inputs, as their pages describe them (that of 2.1 is taken to be like its predecessor's). */
const REPLICATE_MODELS: Readonly<Record<string, Readonly<Record<string, FieldRule>>>> = {
  'google/nano-banana': first,
  'google/nano-banana-pro': {
    ...first,
    resolution,
    safety_filter_level: {
      type: 'string',
      allowed: ['block_low_and_above', 'block_medium_and_above', 'block_only_high'],
    },
    allow_fallback_model: flag,
  },
  'google/nano-banana-2': two,
  'google/nano-banana-2.1': two,
};

/** The fields of a request for a prediction. */
const PREDICTION_FIELDS: Readonly<Record<string, FieldRule>> = {
  input: { type: 'object', required: true },
  version: { type: 'string' },
  stream: flag,
  webhook: { type: 'string' },
  webhook_events_filter: {
    type: 'array',
    items: { type: 'string', allowed: ['start', 'output', 'logs', 'completed'] },
  },
};

const CREATE = /^\/v1\/models\/([^/]+\/[^/]+)\/predictions$/;
const JOB = /^\/v1\/predictions\/([^/]+)(\/cancel)?$/;
const OTHERS = /^\/v1\/(account|files|files\/[^/]+|models\/[^/]+\/[^/]+)$/;
const PREFER = /^wait(?:=(\d+))?$/;
const MAX_WAIT_S = 60;
/** A timer may fire a millisecond before the clock shows its time; the prediction would then still be `processing`. */
const EARLY_TIMER_MS = 1;

/** Replicate's predictions: create, read, cancel; the account, the models, and storage for input files. */
export const replicateProtocol: StubProtocol = {
  name: 'replicate',
  read: async (request) => {
    const call = readCall(request);
    return call?.kind === 'check' ? { ...call, files: (await readForm(request))?.files ?? [] } : call;
  },
  wrongKey: replicateWrongKey,
  refuse: replicateRefusal,
  answer: async (call, request, context) => {
    if (call.kind === 'submit') {
      return create(call, request, context);
    }
    if (call.kind === 'check') {
      return checked(call, request, context);
    }
    const job = context.jobs.find('replicate', call.job, call.key);
    if (job === null || context.behaviour.mode === 'job-lost') {
      return replicateNotFound();
    }
    if (call.kind === 'cancel' && Date.now() < job.readyAt) {
      job.canceledAt ??= Date.now();
    }
    return { status: 200, body: await buildPrediction(job, request.origin) };
  },
};

function readCall({ method, path, headers, body }: StubRequest): StubCall | null {
  const key = /^(?:Bearer|Token) (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null;
  const of = { key, model: null, prompt: null, asked: 0, job: null, body: undefined };
  const [, id, cancels] = JOB.exec(path) ?? [];
  if (id !== undefined && method === (cancels === undefined ? 'GET' : 'POST')) {
    return { ...of, kind: cancels === undefined ? 'poll' : 'cancel', job: id };
  }
  if (OTHERS.test(path)) {
    return { ...of, kind: 'check' };
  }
  const named = CREATE.exec(path)?.[1];
  if (method !== 'POST' || (named === undefined && path !== '/v1/predictions')) {
    return null;
  }
  const json = readJson(body);
  const { input, version } = toRecord(json);
  const { prompt } = toRecord(input);
  return {
    kind: 'submit',
    key,
    job: null,
    asked: 1,
    body: json,
    model: named ?? (typeof version === 'string' ? version : null),
    prompt: typeof prompt === 'string' ? prompt : null,
  };
}

async function create(
  call: StubCall,
  { path, headers, origin }: StubRequest,
  context: StubContext,
): Promise<StubResponse> {
  const fields = REPLICATE_MODELS[call.model ?? ''];
  if (fields === undefined || call.model === null) {
    return CREATE.test(path)
      ? replicateNotFound()
      : replicateError(
          422,
          "The specified version does not exist (or perhaps you don't have permission to use it?)",
          'Invalid version or not permitted',
        );
  }
  const outer = checkFields(call.body, PREDICTION_FIELDS);
  if (outer.length > 0) {
    return replicateViolations(outer, '');
  }
  const input = toRecord(toRecord(call.body).input);
  const faults = checkFields(input, fields);
  if (faults.length > 0) {
    return replicateViolations(faults, 'input');
  }
  const waitMs = parseWait(headers.prefer);
  if (waitMs === null) {
    return replicateError(400, `Invalid Prefer header: ${headers.prefer ?? ''}`);
  }

  const job = context.jobs.add(
    { provider: 'replicate', model: call.model, key: call.key, input, behaviour: context.behaviour },
    (ready) => buildOutcome(ready, context, origin),
  );
  context.noteJob(job.id);
  const leftMs = job.readyAt - Date.now() + EARLY_TIMER_MS;
  if (waitMs > 0) {
    await sleep(Math.max(0, Math.min(waitMs, leftMs)), undefined, { ref: false });
  }
  return { status: 201, body: await buildPrediction(job, origin) };
}

/** How long the answer is to be held back, null for what Replicate does not understand. */
function parseWait(prefer: string | undefined): number | null {
  if (prefer === undefined) {
    return 0;
  }
  const matched = PREFER.exec(prefer);
  const seconds = Number(matched?.[1] ?? MAX_WAIT_S);
  return matched !== null && seconds >= 1 && seconds <= MAX_WAIT_S ? seconds * 1_000 : null;
}

function checked(
  { files = [] }: StubCall,
  { method, path, origin }: StubRequest,
  { uploads }: StubContext,
): StubResponse {
  if (path === '/v1/account' && method === 'GET') {
    return { status: 200, body: { type: 'organization', username: 'stub', name: 'Stub', github_url: null } };
  }
  const model = /^\/v1\/models\/(.+)$/.exec(path)?.[1];
  if (model !== undefined && method === 'GET' && REPLICATE_MODELS[model] !== undefined) {
    const [owner, name] = model.split('/');
    return {
      status: 200,
      body: { url: `https://replicate.com/${model}`, owner, name, visibility: 'public' },
    };
  }
  if (path !== '/v1/files' || method !== 'POST') {
    return replicateNotFound();
  }
  const file = files.find(({ field }) => field === 'content');
  if (file === undefined) {
    return replicateError(400, 'Missing content');
  }
  const id = randomUUID();
  const get = `${origin}/v1/files/${id}`;
  uploads.set(get, file);
  const { name, type: content_type, bytes } = file;
  return { status: 201, body: { id, name, content_type, size: bytes.length, metadata: {}, urls: { get } } };
}
