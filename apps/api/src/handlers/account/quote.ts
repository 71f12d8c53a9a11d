import { findCapValue } from '@image-gateway/shared/billing';
import { getTaskType } from '@image-gateway/shared/catalog';
import { type GenerateRequest, ok } from '@image-gateway/shared/contract';
import { findKeySpend, listCaps } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';
import { findIgnored } from '@image-gateway/shared/task';
import type { Handler, KeyCall } from '../../http/framework/call.js';
import { requireModel } from '../../http/keys/key-rights.js';
import {
  checkInputs,
  nameInputs,
  type ReceiveDeps,
  type ReceivedRequest,
  receiveRequest,
} from '../../uploads/receive-request.js';
import type { GenerateDeps } from '../generate-handler.js';

/** `POST /v1/quote`: the price of a request, and whether money and caps reach for it now. Holds nothing. */
export function quote(deps: Pick<GenerateDeps, 'accept' | 'offers'> & ReceiveDeps): Handler<KeyCall> {
  const { accept, offers } = deps;
  return async (call) => {
    const { caller } = call;
    const received = await receiveRequest(deps, call);
    const request = await readRequest(deps, call, received).finally(received.close);
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
    const ignored = findIgnored(received.body);
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

/** Reads a request and judges it as a submit would, but for its money. Throws AppError. */
async function readRequest(
  deps: Pick<GenerateDeps, 'offers'> & ReceiveDeps,
  call: KeyCall,
  { body, uploads }: ReceivedRequest,
): Promise<GenerateRequest> {
  const { parser } = await deps.offers.load();
  const parsed = parser.parse(body, call.caller.models);
  if ('fault' in parsed) {
    throw new AppError('VALIDATION_ERROR', { publicMessage: parsed.fault });
  }
  const { request, images } = nameInputs(deps, parsed, uploads);
  requireModel(call.caller, request.model);
  await checkInputs(deps, call, images);
  return request;
}
