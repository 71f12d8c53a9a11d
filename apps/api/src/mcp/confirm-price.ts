import { getHoldMicros, type TaskPrice } from '@image-gateway/shared/billing';
import type { TaskRequest } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars, parseDollarsOrZero } from '@image-gateway/shared/money';

/** Refusal of a request whose price the caller has not confirmed. */
export class UnconfirmedPriceError extends AppError {
  /** Price above which a confirmation is needed, in micro-dollars. */
  readonly limitMicros: bigint;

  constructor(costMicros: bigint, limitMicros: bigint) {
    super('VALIDATION_ERROR', {
      publicMessage: `The price of ${formatDollars(costMicros)} is not confirmed.`,
    });
    this.name = 'UnconfirmedPriceError';
    this.limitMicros = limitMicros;
  }
}

/** Arguments of a tool that concern money; who fills them in is a language model. */
export interface ConfirmArguments {
  readonly confirm_above?: unknown;
  readonly confirm_cost?: unknown;
}

/** Prices a request. */
type GetPrice = (request: TaskRequest) => TaskPrice;

/**
 * Returns the pricing of requests that throws UnconfirmedPriceError for an unconfirmed price above the limit, and for one that
 * is not the confirmed price. It judges the very price that is held. `confirm_above` only lowers the limit. Throws AppError
 * `VALIDATION_ERROR` for amounts that are none.
 */
export function confirmPrice(
  getPrice: GetPrice,
  { confirm_above, confirm_cost }: ConfirmArguments,
  maxMicros: bigint,
): GetPrice {
  const above = readDollars('confirm_above', confirm_above);
  const confirmed = readDollars('confirm_cost', confirm_cost);
  const limitMicros = above === null || above > maxMicros ? maxMicros : above;
  return (request) => {
    const price = getPrice(request);
    const costMicros = getHoldMicros(request, price);
    const isFine = confirmed === null ? costMicros <= limitMicros : costMicros === confirmed;
    if (!isFine) {
      throw new UnconfirmedPriceError(costMicros, limitMicros);
    }
    return price;
  };
}

/** Reads dollars with or without their sign; null where none are given. */
function readDollars(name: string, value: unknown): bigint | null {
  if (value === undefined || value === null) {
    return null;
  }
  const isAmount = typeof value === 'string' || typeof value === 'number';
  try {
    return parseDollarsOrZero(isAmount ? String(value).replace(/^\$/, '') : '');
  } catch {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `${name} must be dollars as text, such as "$0.1600".`,
    });
  }
}
