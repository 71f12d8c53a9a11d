import { ACCOUNT_LIMITS, KEY_LIMITS, listLimits } from '@image-gateway/shared/contract';
import type { AuditItem } from '@image-gateway/shared/system/schema';

/** Label of each limit by the name that its entry in the audit log has. */
const LABELS: Readonly<Record<string, string>> = Object.fromEntries(
  [...listLimits(KEY_LIMITS), ...listLimits(ACCOUNT_LIMITS)].map(([name, { label }]) => [
    name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
    label,
  ]),
);

/** Change of a value in a document of the catalog. */
interface Change {
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

const MAX_LENGTH = 200;

/** Describes an entry of the audit log in words: each value that changed with the one before, and what else it says. */
export function describeAudit({ before, changes, ...detail }: AuditItem['detail']): string {
  const old = (before ?? {}) as Readonly<Record<string, unknown>>;
  const values = Object.entries(detail).flatMap(([name, value]) => {
    const label = LABELS[name] ?? toWords(name);
    if (name in old) {
      return `${label}: ${toText(old[name])} → ${toText(value)}`;
    }
    // A creation names every field: those that are not given say nothing.
    return isNothing(value) ? [] : `${label}: ${toText(value)}`;
  });
  const paths = (Array.isArray(changes) ? (changes as readonly Change[]) : []).map(({ path, from, to }) =>
    from === undefined && to === undefined ? path : `${path}: ${toText(from)} → ${toText(to)}`,
  );
  return [...values, ...paths].join(' · ');
}

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || value === false || (Array.isArray(value) && value.length === 0);

/** Writes a name such as `expiresAt` as words. */
function toWords(name: string): string {
  const words = name.replaceAll('_', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function toText(value: unknown): string {
  const text = toWhole(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

function toWhole(value: unknown): string {
  if (value === null || value === undefined || value === '') {
    return 'none';
  }
  if (typeof value === 'boolean') {
    return value ? 'yes' : 'no';
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? 'none' : value.map(toWhole).join(', ');
  }
  return typeof value === 'object'
    ? Object.entries(value)
        .map(([name, part]) => `${name} ${toWhole(part)}`)
        .join(', ')
    : String(value);
}
