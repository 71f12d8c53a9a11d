import { findCapValue } from '@image-gateway/shared/billing';
import { getTaskType } from '@image-gateway/shared/catalog';
import { ok } from '@image-gateway/shared/contract';
import { findKeySpend, listCaps } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';
import { findIgnored } from '@image-gateway/shared/task';
import type { Handler, KeyCall } from '../../http/framework/call.js';
import { requireModel } from '../../http/keys/key-rights.js';
import type { GenerateDeps } from '../generate.js';

/** `POST /v1/quote`: the price of a request, and whether money and caps reach for it now. Holds nothing. */
export function quote({ accept, offers }: Pick<GenerateDeps, 'accept' | 'offers'>): Handler<KeyCall> {
  return async ({ body, caller }) => {
    const { parser } = await offers.load();
    const parsed = parser.parse(body, caller.models);
    if ('fault' in parsed) {
      throw new AppError('VALIDATION_ERROR', { publicMessage: parsed.fault });
    }
    const { request } = parsed;
    requireModel(caller, request.model);
    const { unitMicros } = offers.getPrice(request);
    const costMicros = unitMicros * BigInt(request.num_outputs);
    const capValue = findCapValue(accept, { ...caller, request });
    const [account, spend] = await Promise.all([
      accept.findAccountState(caller.accountId),
      findKeySpend(accept.db, { ...caller, capValue }),
    ]);
    const caps = spend ? listCaps(spend) : [];
    const affordable =
      costMicros <= (account?.available ?? 0n) &&
      caps.every(({ limitMicros, usedMicros }) => usedMicros + costMicros <= limitMicros);
    const ignored = findIgnored(body);
    const data = {
      model: request.model,
      type: getTaskType(request),
      units: request.num_outputs,
      unit_cost: formatDollars(unitMicros),
      cost: formatDollars(costMicros),
      affordable,
      ...(ignored.length > 0 && { ignored }),
    };
    return { status: 200, headers: { 'Cache-Control': 'no-store' }, json: ok(data) };
  };
}
