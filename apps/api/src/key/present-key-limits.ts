import { KEY_LIMITS, type KeyLimitsView, listLimits, NO_LIMIT } from '@image-gateway/shared/contract';
import { type KeySpend, listCaps } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import { keyLimits, type LimitsRow } from './create-limits.js';

/**
 * Presents the limits that a key sees of itself: its scopes, and what limits it. Those without a description in the table are
 * not among them.
 */
export function presentOwnLimits(row: LimitsRow, spend: KeySpend | null) {
  const limits = keyLimits.present(row);
  const own = listLimits(KEY_LIMITS).flatMap(([name, { kind, description }]) => {
    const isLimited = JSON.stringify(limits[name]) !== JSON.stringify(NO_LIMIT[kind]);
    return description && isLimited ? [[name, limits[name]]] : [];
  });
  return { scopes: limits.scopes, ...Object.fromEntries(own), ...(spend && { caps: presentCaps(spend) }) };
}

/** Presents the limits of a key, each cap with how much of it is used. */
export function presentKeyLimits(row: LimitsRow, spend: KeySpend | null): KeyLimitsView {
  const shown = keyLimits.present(row);
  const caps = spend ? presentCaps(spend) : {};
  // The caps stand where the first of them stands in the table.
  const entries = listLimits(KEY_LIMITS).map(([name, { kind }]) =>
    kind === 'cap' || kind === 'valueCap' ? ['caps', caps] : [name, shown[name]],
  );
  return Object.fromEntries(entries) as KeyLimitsView;
}

function presentCaps(spend: KeySpend): KeyLimitsView['caps'] {
  const caps = listCaps(spend).map(({ window, limitMicros, usedMicros }) => [
    window,
    { limit: formatDollars(limitMicros), used: formatDollars(usedMicros) },
  ]);
  const { capPerKey: key, capPerMicros } = spend;
  return {
    ...Object.fromEntries(caps),
    ...(key !== null && capPerMicros !== null && { day_per: { key, limit: formatDollars(capPerMicros) } }),
  };
}
