import { asRecord } from '../http/json-fields.js';
import type { ProviderJob } from '../port.js';

/** Paths of a job below the API's base URL. */
export interface JobPaths {
  readonly status: string;
  readonly result: string;
  readonly cancel: string;
}

/** Accepted submission. */
export interface Submission {
  readonly id: string;
  /** Called model, such as `fal-ai/nano-banana/edit`. */
  readonly model: string;
  /** Path of the configured base URL, which is no part of the paths; empty for fal itself. */
  readonly basePath: string;
}

const MAX_URL_CHARACTERS = 1_000;

/**
 * Returns the paths of the URLs in the response to a submission. Hosts are left out, so that the key is never sent to
 * another origin. A missing or invalid URL is replaced by the usual path of owner and app.
 */
export function parsePaths(response: unknown, submission: Submission): JobPaths {
  const given = asRecord(response);
  const usual = buildUsualPaths(submission);
  return {
    status: parsePath(given?.status_url, submission) ?? usual.status,
    result: parsePath(given?.response_url, submission) ?? usual.result,
    cancel: parsePath(given?.cancel_url, submission) ?? usual.cancel,
  };
}

/** Parses the saved paths of a job; a missing or invalid one is replaced by the usual path. */
export function parseHandle({ id, handle }: ProviderJob, model: string): JobPaths {
  const usual = buildUsualPaths({ id, model });
  const saved = handle === null ? null : asRecord(parseJson(handle));
  const read = (name: keyof JobPaths): string => {
    const value = saved?.[name];
    return typeof value === 'string' && /^\/[^/\\]/.test(value) ? value : usual[name];
  };
  return { status: read('status'), result: read('result'), cancel: read('cancel') };
}

/** Builds the usual paths, which contain owner and app only. The rest of the model, such as `/edit`, is dropped, as in fal's own client. */
function buildUsualPaths({ id, model }: Pick<Submission, 'id' | 'model'>): JobPaths {
  const [owner = '', app = ''] = model.split('/');
  const job = `/${owner}/${app}/requests/${id}`;
  return { status: `${job}/status`, result: job, cancel: `${job}/cancel` };
}

function parsePath(url: unknown, { id, basePath }: Submission): string | null {
  if (typeof url !== 'string' || url.length > MAX_URL_CHARACTERS || !URL.canParse(url)) {
    return null;
  }
  const { protocol, pathname } = new URL(url);
  if (!/^https?:$/.test(protocol) || !pathname.split('/').includes(id)) {
    return null;
  }
  const isWithin = basePath !== '' && pathname.startsWith(`${basePath}/`);
  const path = isWithin ? pathname.slice(basePath.length) : pathname;
  return path.startsWith('//') ? null : path;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
