import { getFailureByStatus } from '../failure-of-status.js';
import type { ProviderFailure } from '../failure-traits.js';
import type { OpenaiFault } from './read-fault.js';

/** One kind of error, told by what it says. */
interface Rule {
  readonly field: 'code' | 'type' | 'param' | 'message';
  readonly tells: RegExp;
  readonly failure: ProviderFailure;
}

const PAYLOAD_TOO_LARGE = 413;
const WITH_RULES: ReadonlySet<number> = new Set([400, 403, 404, 422, 429]);

/** What errors mean where their status alone says too little (OpenAI's docs, "Error codes"); the first that fits holds. */
const RULES: readonly Rule[] = [
  { field: 'code', tells: /^(moderation_blocked|content_policy_violation)$/, failure: 'moderation' },
  { field: 'message', tells: /\bsafety system\b/i, failure: 'moderation' },
  // An account without money is told with the status of a rate limit, or with that of a bad request.
  {
    field: 'code',
    tells: /^(insufficient_quota|billing_hard_limit_reached|billing_not_active)$/,
    failure: 'billing',
  },
  { field: 'type', tells: /^(insufficient_quota|billing_limit_user_error)$/, failure: 'billing' },
  { field: 'code', tells: /^unsupported_country_region_territory$/, failure: 'geo' },
  { field: 'code', tells: /^model_not_found$/, failure: 'model-gone' },
  // That a field is missing, or too much, is our doing, whichever it is.
  { field: 'code', tells: /^(unknown|missing_required|duplicate)_parameter$/, failure: 'config-drift' },
  { field: 'type', tells: /^(missing|extra_forbidden)$/, failure: 'config-drift' },
  { field: 'param', tells: /^model$/, failure: 'model-gone' },
  { field: 'param', tells: /^(image|prompt|negative_prompt)/, failure: 'invalid-input' },
];

/** What an answer that is no success means. */
export function failureOf(status: number, fault: OpenaiFault): ProviderFailure {
  if (status === PAYLOAD_TOO_LARGE) return 'invalid-input';
  const rule = WITH_RULES.has(status)
    ? RULES.find(({ field, tells }) => tells.test(fault[field]))
    : undefined;
  return rule?.failure ?? getFailureByStatus(status);
}
