import { isIP } from 'node:net';
import { KEY_SCOPES, type KeyScope, METADATA_KEY } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars, parseDollars } from '@image-gateway/shared/money';

/** Daily cap that each value of a key of metadata has for itself. */
export interface ValueCap {
  readonly key: string;
  readonly micros: bigint;
}

/** Limits of a key to set; absent ones stay as they are. Empty lists and null caps limit nothing. */
export interface KeyLimits {
  readonly models?: readonly string[] | undefined;
  readonly scopes?: readonly KeyScope[] | undefined;
  readonly allowedCidrs?: readonly string[] | undefined;
  readonly capDayMicros?: bigint | null | undefined;
  readonly capMonthMicros?: bigint | null | undefined;
  readonly capTotalMicros?: bigint | null | undefined;
  /** Daily cap of each value of a key of metadata. */
  readonly capDayPer?: ValueCap | null | undefined;
  /** True if equal requests to the facade share the task under way. */
  readonly joinEqual?: boolean | undefined;
}

const MAX_ENTRIES = 100;
const VALUE_CAP = new RegExp(`^(${METADATA_KEY})=\\$?(.+)$`);
const MODEL_ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Checks limits of a key; throws AppError `VALIDATION_ERROR`. */
export function checkKeyLimits({ models = [], scopes, allowedCidrs = [] }: KeyLimits): void {
  if (models.length > MAX_ENTRIES || allowedCidrs.length > MAX_ENTRIES) {
    throw fault(`A key names at most ${MAX_ENTRIES} models and ${MAX_ENTRIES} networks.`);
  }
  const model = models.find((id) => !MODEL_ID.test(id));
  if (model !== undefined) {
    throw fault(`"${model}" is not the id of a model.`);
  }
  if (scopes?.length === 0 || scopes?.some((scope) => !KEY_SCOPES.includes(scope))) {
    throw fault(`The scopes of a key are some of ${KEY_SCOPES.join(', ')}.`);
  }
  const cidr = allowedCidrs.find((text) => !isNetwork(text));
  if (cidr !== undefined) {
    throw fault(`"${cidr}" is not an address or a network such as 192.0.2.0/24 or 2001:db8::/32.`);
  }
}

/** Returns limits by their columns, as JSON for a statement. */
export function toLimitColumns(limits: KeyLimits): string {
  return JSON.stringify({
    models: limits.models,
    scopes: limits.scopes,
    allowed_cidrs: limits.allowedCidrs,
    cap_day_micros: toText(limits.capDayMicros),
    cap_month_micros: toText(limits.capMonthMicros),
    cap_total_micros: toText(limits.capTotalMicros),
    cap_per_key: limits.capDayPer === null ? null : limits.capDayPer?.key,
    cap_per_micros: limits.capDayPer === null ? null : limits.capDayPer?.micros.toString(),
    join_equal: limits.joinEqual,
  });
}

/** Describes limits for the audit log, caps in dollars. */
export function describeKeyLimits(limits: KeyLimits): Readonly<Record<string, unknown>> {
  return {
    models: limits.models,
    scopes: limits.scopes,
    allowedCidrs: limits.allowedCidrs,
    capDay: toDollars(limits.capDayMicros),
    capMonth: toDollars(limits.capMonthMicros),
    capTotal: toDollars(limits.capTotalMicros),
    capDayPer: limits.capDayPer && `${limits.capDayPer.key}=${formatDollars(limits.capDayPer.micros)}`,
    joinEqual: limits.joinEqual,
  };
}

/** Reads a cap by value such as `user=0.50`. Throws AppError `VALIDATION_ERROR`. */
export function parseValueCap(text: string): ValueCap {
  const [, key, amount] = VALUE_CAP.exec(text.trim()) ?? [];
  try {
    if (key !== undefined && amount !== undefined) {
      return { key, micros: parseDollars(amount) };
    }
  } catch (cause) {
    if (!(cause instanceof RangeError)) {
      throw cause;
    }
  }
  throw fault('A daily cap by value is a key of metadata and an amount of dollars, such as user=0.50.');
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0 || address.includes('%')) {
    return false;
  }
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

function toText(micros: bigint | null | undefined): string | null | undefined {
  return micros?.toString() ?? (micros === null ? null : undefined);
}

function toDollars(micros: bigint | null | undefined): string | null | undefined {
  return typeof micros === 'bigint' ? formatDollars(micros) : micros;
}

function fault(publicMessage: string): AppError {
  return new AppError('VALIDATION_ERROR', { publicMessage });
}
