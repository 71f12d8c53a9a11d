import Joi from 'joi';
import type { JobImages } from '../deliver-images.js';
import { ProviderError } from '../failures.js';
import type { JobProgress } from '../follow-job.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { ANY, list, loose, NEEDED_TEXT, needed, readLoosely, readShape, TEXT } from '../http/read-shape.js';
import type { ProviderKey } from '../port.js';
import { readJobId } from '../upstream-text.js';
import { toProviderError, toRunError } from './to-provider-error.js';

const createdSchema = needed({ prompt_id: NEEDED_TEXT });
const uploadedSchema = needed({ name: NEEDED_TEXT, subfolder: TEXT });
const file = needed({ filename: NEEDED_TEXT, subfolder: TEXT, type: TEXT });
const runSchema = loose({ status: loose({ status_str: TEXT, messages: ANY }), outputs: loose({}) });
const outputSchema = loose({ images: list(file) });
const queueSchema = needed({
  queue_running: Joi.array<unknown[]>().required(),
  queue_pending: Joi.array<unknown[]>().required(),
});

/** Parses the response to a submission. Throws ProviderError for a refusal, and `unknown` for an accepted workflow without a usable id. */
export function parseCreated(response: UpstreamResponse, key: ProviderKey | null, model: string): string {
  if (!isSuccess(response)) {
    throw toProviderError({ response, call: 'submission', key, model });
  }
  const terms = { upstream: 'ComfyUI', failure: 'unknown' } as const;
  const id = readJobId(readShape(createdSchema, response.json?.value, terms).prompt_id);
  if (id === null) {
    throw new ProviderError('unknown', `ComfyUI answered ${response.status} without the id of a workflow`);
  }
  return id;
}

/** Parses the name under which an uploaded image stands in a workflow. */
export function parseUpload(response: UpstreamResponse, key: ProviderKey | null): string {
  if (!isSuccess(response)) {
    throw toProviderError({ response, call: 'upload', key });
  }
  const { name, subfolder } = readShape(uploadedSchema, response.json?.value, { upstream: 'ComfyUI' });
  return subfolder === '' ? name : `${subfolder}/${name}`;
}

/** Parses the history of a workflow; null while it has none. Throws ProviderError for a failed poll. */
export function parseHistory(
  response: UpstreamResponse,
  { id, baseUrl, key }: { readonly id: string; readonly baseUrl: string; readonly key: ProviderKey | null },
): JobProgress<JobImages> | null {
  const history: Readonly<Record<string, unknown>> = readBody(needed({}), response, key);
  if (!Object.hasOwn(history, id)) {
    return null;
  }
  const { status, outputs } = readLoosely(runSchema, history[id]);
  if (status.status_str === 'error') {
    return { kind: 'failed', error: toRunError(status.messages, id) };
  }
  // Previews have the type `temp`, and inputs that a node shows again `input`.
  const files = Object.values(outputs)
    .flatMap((output) => readLoosely(outputSchema, output).images)
    .filter(({ type }) => type === 'output');
  if (files.length === 0 || response.json === null) {
    const message = 'the workflow ended without an image of the type output; it needs a node SaveImage';
    return { kind: 'failed', error: new ProviderError('bad-response', message, { upstreamId: id }) };
  }
  const urls = files.map(
    ({ filename, subfolder, type }) =>
      `${baseUrl}/view?${new URLSearchParams({ filename, subfolder, type })}`,
  );
  return { kind: 'done', result: { urls, json: response.json } };
}

/** Returns where a workflow stands in the queue; null when it is not there. Throws ProviderError. */
export function parseQueue(
  response: UpstreamResponse,
  { id, key }: { readonly id: string; readonly key: ProviderKey | null },
): 'running' | 'pending' | null {
  const { queue_running: running, queue_pending: pending } = readBody(queueSchema, response, key);
  const has = (items: readonly unknown[]): boolean =>
    items.some((item) => Array.isArray(item) && item[1] === id);
  return has(running) ? 'running' : has(pending) ? 'pending' : null;
}

function readBody<T>(schema: Joi.AnySchema<T>, response: UpstreamResponse, key: ProviderKey | null): T {
  if (!isSuccess(response)) {
    throw toProviderError({ response, call: 'poll', key });
  }
  return readShape(schema, response.json?.value, { upstream: 'ComfyUI' });
}

/** Returns true for a response with a status of success. */
export function isSuccess({ status }: Pick<UpstreamResponse, 'status'>): boolean {
  return status >= 200 && status < 300;
}
