import { KEY_LIMITS, type KeyLimitsView, listLimits } from '@image-gateway/shared/contract';
import { type KeySpend, listCaps } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import { keyLimits, type LimitsRow } from '../create-limits.js';

/** Names of the limits that a key sees of itself; caps are one of them. */
const OWN_NAMES = new Set([
  'caps',
  ...listLimits(KEY_LIMITS).flatMap(([name, { description }]) => (description ? [name] : [])),
]);

/** Presents the limits that a key sees of itself: its scopes, and what limits it. */
export function presentOwnLimits(row: LimitsRow, spend: KeySpend | null) {
  const { scopes, ...limits } = presentKeyLimits(row, spend);
  const isLimited = (value: unknown): boolean =>
    !['null', 'false', '[]', '{}'].includes(JSON.stringify(value));
  const own = Object.entries(limits).filter(([name, value]) => OWN_NAMES.has(name) && isLimited(value));
  return { scopes, ...Object.fromEntries(own) };
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
