import { asRecord } from '../record-of.js';
import type { JobPaths } from './job-paths.js';

/** What a submission was and what it was answered with. */
export interface Submission {
  readonly id: string;
  /** The model that was asked, such as `fal-ai/nano-banana/edit`. */
  readonly model: string;
  /** The path of our own base URL, which is no part of the paths; empty for fal itself. */
  readonly basePath: string;
}

const LONGEST = 1_000;

/**
 * Where a job is asked about: the paths of the addresses that the submission was answered with. Their hosts are left out, so
 * that the key never goes to another origin. An address that is missing or odd is put together from owner and app.
 */
export function readPaths(answer: unknown, submission: Submission): JobPaths {
  const given = asRecord(answer);
  const usual = usualPaths(submission);
  return {
    status: pathOf(given?.status_url, submission) ?? usual.status,
    result: pathOf(given?.response_url, submission) ?? usual.result,
    cancel: pathOf(given?.cancel_url, submission) ?? usual.cancel,
  };
}

/** Queue addresses hold owner and app only; whatever follows in the model, such as `/edit`, is dropped (fal's own client does so). */
function usualPaths({ id, model }: Submission): JobPaths {
  const [owner = '', app = ''] = model.split('/');
  const job = `/${owner}/${app}/requests/${id}`;
  return { status: `${job}/status`, result: job, cancel: `${job}/cancel` };
}

function pathOf(address: unknown, { id, basePath }: Submission): string | null {
  if (typeof address !== 'string' || address.length > LONGEST || !URL.canParse(address)) return null;
  const { protocol, pathname } = new URL(address);
  if (!/^https?:$/.test(protocol) || !pathname.split('/').includes(id)) return null;
  const within = basePath !== '' && pathname.startsWith(`${basePath}/`);
  const path = within ? pathname.slice(basePath.length) : pathname;
  return path.startsWith('//') ? null : path;
}
