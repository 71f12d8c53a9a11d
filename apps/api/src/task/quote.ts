import { getHoldMicros, isAboutMoney, toSubmit } from '@image-gateway/shared/billing';
import { getTaskType } from '@image-gateway/shared/catalog';
import { type GenerateRequest, ok } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';
import { findIgnored } from '@image-gateway/shared/task';
import {
  checkInputs,
  nameInputs,
  type ReceiveDeps,
  type ReceivedRequest,
  receiveRequest,
} from '../file/uploads/receive-request.js';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { requireModel } from '../http/keys/key-rights.js';
import type { GenerateDeps } from './generate-handler.js';

/** `POST /v1/quote`: the price of a request, and whether money and caps reach for it now. Holds nothing. */
export function quote(deps: Pick<GenerateDeps, 'accept' | 'offers'> & ReceiveDeps): Handler<KeyCall> {
  const { accept } = deps;
  return async (call) => {
    const received = await receiveRequest(deps, call);
    const request = await readRequest(deps, call, received).finally(received.close);
    const submit = toSubmit(accept, { ...call.caller, request });
    const exceeded = await accept.judgeSubmit(submit);
    const ignored = findIgnored(received.body);
    const data = {
      model: request.model,
      type: getTaskType(request),
      units: request.num_outputs,
      unit_cost: formatDollars(submit.price.unitMicros),
      cost: formatDollars(getHoldMicros(request, submit.price)),
      affordable: !exceeded.some(isAboutMoney),
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
