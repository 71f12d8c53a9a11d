import {
  type LimitEntry,
  type LimitKind,
  type LimitsBody,
  type LimitTable,
  listLimits,
  NO_LIMIT,
  toCamelCase,
} from '@image-gateway/shared/contract';
import { type CliOption, option } from './define-command.js';
import { refused } from './read-values.js';

const VALUES: Readonly<Record<LimitKind, string>> = {
  count: 'number',
  rate: 'count/seconds',
  cap: 'dollars',
  valueCap: 'key=dollars',
  models: 'ids',
  scopes: 'names',
  networks: 'networks',
  switch: 'on|off',
};

/** Options for the limits of a table. */
export function limitOptions(limits: LimitTable): Readonly<Record<string, CliOption<string | undefined>>> {
  return Object.fromEntries(
    listLimits(limits).map(([, { option: name, kind, label, setting, help }]) => [
      toCamelCase(name),
      option(`<${VALUES[kind]}>`, help ?? `${label}; replaces ${setting}`),
    ]),
  );
}

/** Reads limits from options; an empty value removes a limit, an absent one keeps it. Throws AppError `VALIDATION_ERROR`. */
export function readLimitOptions<T extends LimitTable>(
  options: Readonly<Record<string, unknown>>,
  limits: T,
): LimitsBody<T> {
  const given = listLimits(limits).flatMap(([name, limit]) => {
    const text = options[toCamelCase(limit.option)];
    return typeof text === 'string' ? [[name, readValue(text, limit)] as const] : [];
  });
  return Object.fromEntries(given) as LimitsBody<T>;
}

function readValue(text: string, { kind, option }: LimitEntry) {
  if (text === '') {
    return NO_LIMIT[kind];
  }
  if (Array.isArray(NO_LIMIT[kind])) {
    return text.split(',').flatMap((part) => part.trim() || []);
  }
  if (kind === 'switch') {
    if (text !== 'on' && text !== 'off') {
      throw refused(`--${option} is on or off, not "${text}".`);
    }
    return text === 'on';
  }
  return text;
}
