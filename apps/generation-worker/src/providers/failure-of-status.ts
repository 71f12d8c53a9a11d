import type { ProviderFailure } from './failure-traits.js';

const FAILURES_BY_STATUS: Readonly<Record<number, ProviderFailure>> = {
  401: 'auth',
  402: 'billing',
  403: 'auth',
  404: 'model-gone',
  408: 'timeout',
  429: 'rate-limit',
  503: 'overload',
  504: 'timeout',
  524: 'timeout',
  529: 'overload',
};

const ELSEWHERE = /\b(region|country|location)\b/i;

/** What the status of an answer to a request for images says when no code in the answer says more; `text` are the answer's words. */
export function getFailureByStatus(status: number, text = ''): ProviderFailure {
  if (status === 403 && ELSEWHERE.test(text)) return 'geo';
  const known = FAILURES_BY_STATUS[status];
  if (known !== undefined) return known;
  if (status >= 500) return 'upstream-error';
  return status >= 400 ? 'config-drift' : 'bad-response';
}
