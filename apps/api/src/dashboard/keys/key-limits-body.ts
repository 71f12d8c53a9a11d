import { KEY_SCOPES, type KeyLimitsBody } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { parseDollars } from '@image-gateway/shared/money';
import Joi from 'joi';
import type { KeyLimits } from '../../operations/key/key-limits.js';

const MAX_ENTRIES = 100;
const list = (message: string) =>
  Joi.array().items(Joi.string().max(100)).max(MAX_ENTRIES).messages({ '*': message });
const cap = () =>
  Joi.string().max(20).allow(null).messages({ '*': 'A cap is an amount of dollars such as 5.00, or empty.' });

/** Body that sets limits of a key. */
export const keyLimitsBody: Joi.ObjectSchema<KeyLimitsBody> = Joi.object({
  models: list(`The models of a key are at most ${MAX_ENTRIES} ids.`),
  scopes: Joi.array()
    .items(Joi.string().valid(...KEY_SCOPES))
    .messages({ '*': `The scopes of a key are some of ${KEY_SCOPES.join(', ')}.` }),
  allowed_cidrs: list(`The networks of a key are at most ${MAX_ENTRIES} addresses or networks.`),
  cap_day: cap(),
  cap_month: cap(),
  cap_total: cap(),
  join_equal: Joi.boolean().strict().messages({ '*': 'Sharing of equal requests is on or off.' }),
});

/** Turns the body of a form into limits; throws AppError `VALIDATION_ERROR` for a cap that is no amount. */
export function toKeyLimits(body: KeyLimitsBody): KeyLimits {
  return {
    models: body.models,
    scopes: body.scopes,
    allowedCidrs: body.allowed_cidrs,
    capDayMicros: readCap('day', body.cap_day),
    capMonthMicros: readCap('month', body.cap_month),
    capTotalMicros: readCap('total', body.cap_total),
    joinEqual: body.join_equal,
  };
}

function readCap(window: string, text: string | null | undefined): bigint | null | undefined {
  if (text === undefined || text === null) {
    return text;
  }
  try {
    return parseDollars(text.trim());
  } catch (cause) {
    const reason = cause instanceof RangeError ? cause.message : 'this is not an amount';
    throw new AppError('VALIDATION_ERROR', { publicMessage: `Cap (${window}): ${reason}.`, cause });
  }
}
