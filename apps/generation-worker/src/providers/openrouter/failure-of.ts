import { getFailureByStatus } from '../failure-of-status.js';
import type { ProviderFailure } from '../failure-traits.js';
import type { OpenRouterFault } from './read-fault.js';

/** What the codes and types of OpenRouter's errors mean (its docs, "Errors and debugging"). */
const FAILURE_OF_KEY: Readonly<Record<string, ProviderFailure>> = {
  content_policy_violation: 'moderation',
  refusal: 'moderation',
  invalid_image: 'invalid-input',
  image_too_large: 'invalid-input',
  image_too_small: 'invalid-input',
  unsupported_image_format: 'invalid-input',
  payload_too_large: 'invalid-input',
  string_too_long: 'invalid-input',
  image_download_failed: 'input-fetch',
  image_not_found: 'input-fetch',
  model_not_found: 'model-gone',
  no_endpoints: 'model-gone',
  model_deprecated: 'model-gone',
  model_unavailable_upstream: 'model-gone',
  free_variant_ended: 'model-gone',
  wrong_endpoint: 'config-drift',
  privacy_restricted: 'config-drift',
  constraint_filtered: 'config-drift',
  invalid_request: 'config-drift',
  unprocessable: 'config-drift',
  region_restricted: 'geo',
  authentication: 'auth',
  permission_denied: 'auth',
  payment_required: 'billing',
  rate_limit_exceeded: 'rate-limit',
  capacity_exhausted: 'rate-limit',
  provider_overloaded: 'overload',
  temporarily_unavailable: 'overload',
  provider_unavailable: 'upstream-error',
  server: 'upstream-error',
  unmapped: 'upstream-error',
  timeout: 'timeout',
};

const PAYLOAD_TOO_LARGE = 413;

/** What an error means, in the order that OpenRouter gives: moderation, availability, type, status. */
export function failureOf(status: number, fault: OpenRouterFault | null): ProviderFailure {
  if (fault?.moderated) return 'moderation';
  for (const key of fault?.keys ?? []) {
    const known = Object.hasOwn(FAILURE_OF_KEY, key) ? FAILURE_OF_KEY[key] : undefined;
    if (known !== undefined) return known;
  }
  const said = status >= 400 ? status : (fault?.status ?? status);
  if (said === PAYLOAD_TOO_LARGE) return 'invalid-input';
  // The upstream's own words, passed on under the status of a gateway.
  if (said >= 500 && /overloaded/i.test(fault?.message ?? '')) return 'overload';
  return getFailureByStatus(said);
}
