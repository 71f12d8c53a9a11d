const VISIBLE = /^[\x21-\x7e]{1,200}$/;
const JOB_ID = /^[\w-]{1,200}$/;

/** Returns an id or short text of an upstream with 1 to 200 visible ASCII characters; null for anything else, which no row should hold. */
export function readUpstreamText(value: unknown): string | null {
  return typeof value === 'string' && VISIBLE.test(value) ? value : null;
}

/** Returns the id of a job if it can stand in a path; null for anything else. */
export function readJobId(value: unknown): string | null {
  return typeof value === 'string' && JOB_ID.test(value) ? value : null;
}
