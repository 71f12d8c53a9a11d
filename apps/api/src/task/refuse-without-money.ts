import { type AcceptDeps, findRefusal } from '@image-gateway/shared/billing';
import type { Offers } from '../catalog/create-offers.js';
import { listImagePrices } from '../catalog/list-image-prices.js';
import type { KeyCall } from '../http/framework/call.js';
import { readIdempotencyKey } from '../http/read-idempotency-key.js';
import { hasWaitingRequests } from './has-waiting-requests.js';

/** Dependencies of the refusal. */
interface RefusalDeps {
  readonly accept: AcceptDeps;
  readonly offers: Pick<Offers, 'load'>;
}

/**
 * Refuses a caller who can't pay the cheapest image, or has too many open tasks, before anything of the body is read. Requests that may get
 * a task that was paid for already are judged when they are known as a whole. Throws AppError.
 */
export async function refuseWithoutMoney(deps: RefusalDeps, call: KeyCall): Promise<void> {
  const { accountId, apiKeyId, scopes } = call.caller;
  if (readIdempotencyKey(call.header('idempotency-key')) !== undefined) {
    return;
  }
  const { models } = await deps.offers.load();
  const [cheapest] = listImagePrices(models);
  if (!cheapest) {
    return;
  }
  const { model, resolution, quality } = cheapest;
  const image = { model, resolution, ...(quality !== null && { quality }) };
  const request = { ...image, prompt: '', aspect_ratio: '1:1' as const, num_outputs: 1 };
  // Caps by value are judged with the body.
  const input = { accountId, apiKeyId, scopes, request };
  const refusal = await findRefusal(deps.accept, input, { isLeast: true });
  if (refusal && !(await hasWaitingRequests(deps.accept.db, apiKeyId))) {
    throw refusal;
  }
}
