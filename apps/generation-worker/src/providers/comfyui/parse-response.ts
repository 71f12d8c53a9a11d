import type { JobImages } from '../deliver-images.js';
import { ProviderError } from '../failures.js';
import type { JobProgress } from '../follow-job.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { asRecord, asRecords, asText } from '../http/json-decoder.js';
import type { ProviderKey } from '../port.js';
import { readJobId } from '../upstream-text.js';
import { toProviderError, toRunError } from './to-provider-error.js';

/** Parses the response to a submission. Throws ProviderError for a refusal, and `unknown` for an accepted workflow without a usable id. */
export function parseCreated(response: UpstreamResponse, key: ProviderKey | null, model: string): string {
  if (!isSuccess(response)) {
    throw toProviderError({ response, call: 'submission', key, model });
  }
  const id = readJobId(asRecord(response.json?.value)?.prompt_id);
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
  const { name, subfolder } = asRecord(response.json?.value) ?? {};
  if (typeof name !== 'string' || name === '') {
    throw new ProviderError('bad-response', 'ComfyUI accepted an image and gave no name for it');
  }
  return asText(subfolder) === '' ? name : `${asText(subfolder)}/${name}`;
}

/** Parses the history of a workflow; null while it has none. Throws ProviderError for a failed poll. */
export function parseHistory(
  response: UpstreamResponse,
  { id, baseUrl, key }: { readonly id: string; readonly baseUrl: string; readonly key: ProviderKey | null },
): JobProgress<JobImages> | null {
  const history = readBody(response, 'poll', key);
  if (!Object.hasOwn(history, id)) {
    return null;
  }
  const { status, outputs } = asRecord(history[id]) ?? {};
  const { status_str: outcome, messages } = asRecord(status) ?? {};
  if (outcome === 'error') {
    return { kind: 'failed', error: toRunError(messages, id) };
  }
  // Previews have the type `temp`, and inputs that a node shows again `input`.
  const files = Object.values(asRecord(outputs) ?? {})
    .flatMap((output) => asRecords(asRecord(output)?.images))
    .filter(({ type, filename }) => type === 'output' && typeof filename === 'string');
  if (files.length === 0 || response.json === null) {
    const message = 'the workflow ended without an image of the type output; it needs a node SaveImage';
    return { kind: 'failed', error: new ProviderError('bad-response', message, { upstreamId: id }) };
  }
  const urls = files.map(({ filename, subfolder, type }) => {
    const query = { filename: asText(filename), subfolder: asText(subfolder), type: asText(type) };
    return `${baseUrl}/view?${new URLSearchParams(query)}`;
  });
  return { kind: 'done', result: { urls, json: response.json } };
}

/** Returns where a workflow stands in the queue; null when it is not there. Throws ProviderError. */
export function parseQueue(
  response: UpstreamResponse,
  { id, key }: { readonly id: string; readonly key: ProviderKey | null },
): 'running' | 'pending' | null {
  const { queue_running: running, queue_pending: pending } = readBody(response, 'poll', key);
  if (!Array.isArray(running) || !Array.isArray(pending)) {
    throw new ProviderError('bad-response', 'ComfyUI answered no queue');
  }
  const has = (items: readonly unknown[]): boolean =>
    items.some((item) => Array.isArray(item) && item[1] === id);
  return has(running) ? 'running' : has(pending) ? 'pending' : null;
}

function readBody(response: UpstreamResponse, call: 'poll', key: ProviderKey | null) {
  if (!isSuccess(response)) {
    throw toProviderError({ response, call, key });
  }
  const body = asRecord(response.json?.value);
  if (body === null) {
    throw new ProviderError('bad-response', 'ComfyUI answered no JSON object');
  }
  return body;
}

/** Returns true for a response with a status of success. */
export function isSuccess({ status }: Pick<UpstreamResponse, 'status'>): boolean {
  return status >= 200 && status < 300;
}
