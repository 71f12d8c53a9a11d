import { DEFAULT_KEY_SCOPES, type KeyLimitsView, type KeyScope } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { parseDollars } from '@image-gateway/shared/money';
import { type KeyLimits, parseValueCap } from '../../operations/key/key-limits.js';
import { createAmountParser } from '../create-amount-parser.js';

/** Flags and descriptions of the options that limit a key. */
export const LIMIT_OPTIONS = {
  models: ['--models <ids>', 'models that the key may use, comma-separated; empty: all'],
  scopes: ['--scopes <names>', 'of generate, read and delete, comma-separated; empty: generate,read'],
  cidrs: ['--cidrs <networks>', 'networks that the key may be used from, comma-separated; empty: all'],
  capDay: ['--cap-day <dollars>', 'most that its tasks of a day in UTC may cost; empty: no cap'],
  capMonth: ['--cap-month <dollars>', 'most that its tasks of a month in UTC may cost; empty: no cap'],
  capTotal: ['--cap-total <dollars>', 'most that all its tasks may cost; empty: no cap'],
  capDayPer: [
    '--cap-day-per <key=dollars>',
    'most that its tasks of a day in UTC may cost for each value of a key of metadata, such as user=0.50; empty: no cap',
  ],
  joinEqual: [
    '--join-equal <on|off>',
    'on: equal requests to /openai share the task under way, for relays that drop marks of repetitions; empty: off',
  ],
} as const;

/** Values of the options that limit a key. */
export type LimitValues = Readonly<Partial<Record<keyof typeof LIMIT_OPTIONS, string>>>;

/** Reads the limits of a key from options; an empty value removes a limit, an absent one keeps it. Throws AppError `VALIDATION_ERROR`. */
export function readLimits({
  models,
  scopes,
  cidrs,
  capDay,
  capMonth,
  capTotal,
  capDayPer,
  joinEqual,
}: LimitValues): KeyLimits {
  return {
    models: readList(models),
    scopes: scopes === '' ? DEFAULT_KEY_SCOPES : (readList(scopes) as KeyScope[] | undefined),
    allowedCidrs: readList(cidrs),
    capDayMicros: readCap('cap-day', capDay),
    capMonthMicros: readCap('cap-month', capMonth),
    capTotalMicros: readCap('cap-total', capTotal),
    capDayPer: readValueCap(capDayPer),
    joinEqual: readSwitch('join-equal', joinEqual),
  };
}

/** Renders the limits of a key for a terminal. */
export function renderLimits({
  models,
  scopes,
  allowed_cidrs,
  caps,
  join_equal,
}: KeyLimitsView): Record<string, string> {
  const cap = (window: 'day' | 'month' | 'total'): string => {
    const found = caps[window];
    return found ? `${found.used} of ${found.limit}` : '';
  };
  return {
    scopes: scopes.join(','),
    models: models.join(','),
    allowed_cidrs: allowed_cidrs.join(','),
    cap_day: cap('day'),
    cap_month: cap('month'),
    cap_total: cap('total'),
    cap_day_per: caps.day_per ? `${caps.day_per.key}=${caps.day_per.limit}` : '',
    join_equal: join_equal ? 'on' : '',
  };
}

function readList(text: string | undefined): string[] | undefined {
  return text?.split(',').flatMap((part) => part.trim() || []);
}

function readSwitch(option: string, text: string | undefined): boolean | undefined {
  if (text === undefined) {
    return undefined;
  }
  if (text !== 'on' && text !== 'off' && text !== '') {
    throw new AppError('VALIDATION_ERROR', { publicMessage: `--${option} is "on" or "off".` });
  }
  return text === 'on';
}

function readValueCap(text: string | undefined): KeyLimits['capDayPer'] {
  if (text === undefined || text === '') {
    return text === '' ? null : undefined;
  }
  return parseValueCap(text);
}

function readCap(option: string, text: string | undefined): bigint | null | undefined {
  if (text === undefined || text === '') {
    return text === '' ? null : undefined;
  }
  return createAmountParser(`--${option}`, parseDollars)(text);
}
