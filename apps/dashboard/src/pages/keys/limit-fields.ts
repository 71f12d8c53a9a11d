import {
  KEY_LIMITS,
  KEY_SCOPES,
  type KeyLimitName,
  type KeyLimitsBody,
  type KeyScope,
  type LimitEntry,
  listLimits,
  NO_LIMIT,
} from '@image-gateway/shared/contract';
import type { KeyItem } from '@image-gateway/shared/key/schema';
import type { FieldSpec } from '../../ui/forms/fields.js';

const ENTRIES = listLimits(KEY_LIMITS);
const SCOPES: Readonly<Record<KeyScope, string>> = {
  generate: 'generate: submit tasks',
  read: 'read: all tasks, usage and balance',
  delete: 'delete: remove tasks, cancel those of other keys',
};
const INPUT_MODES = { cap: 'decimal', count: 'numeric' } as const;

/** Returns the fields for the limits of a key: those of its caps, and the others. They hold what limits the key, if it is there. */
export function listLimitFields(
  offered: readonly string[],
  key?: KeyItem,
): Readonly<Record<'caps' | 'others', readonly FieldSpec[]>> {
  const held = key && listHeld(key);
  const toField = ([name, limit]: (typeof ENTRIES)[number]): FieldSpec => {
    const { kind, label, hint, summary } = limit;
    const value = held ? held[name] : NO_LIMIT[kind];
    const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
    switch (kind) {
      case 'models':
        return {
          name,
          label,
          hint,
          chosen,
          choices: [...new Set([...offered, ...chosen])].map((id) => [id, id]),
        };
      case 'scopes':
        return { name, label, hint, chosen, choices: KEY_SCOPES.map((scope) => [scope, SCOPES[scope]]) };
      case 'switch':
        return { name, label, hint, chosen: value === true ? ['on'] : [], choices: [['on', summary]] };
      case 'networks':
        return { name, label, hint, rows: 2, spellCheck: false, defaultValue: chosen.join('\n') };
      case 'cap':
      case 'count':
      case 'rate':
      case 'valueCap': {
        const inputMode = kind === 'cap' || kind === 'count' ? INPUT_MODES[kind] : 'text';
        const defaultValue = String(value ?? '').replace('$', '');
        return { name, label, hint, inputMode, placeholder: 'none', maxLength: 100, defaultValue };
      }
    }
  };
  const isCap = ([, { kind }]: (typeof ENTRIES)[number]): boolean => kind === 'cap';
  return {
    caps: ENTRIES.filter(isCap).map(toField),
    others: ENTRIES.filter((entry) => !isCap(entry)).map(toField),
  };
}

/** Returns the body that sets the limits of a form. */
export function toLimits(data: FormData): KeyLimitsBody {
  const read = (name: KeyLimitName, { kind }: LimitEntry): unknown => {
    switch (kind) {
      case 'models':
      case 'scopes':
        return data.getAll(name);
      case 'switch':
        return data.has(name);
      case 'networks':
        return String(data.get(name))
          .split(/[\s,]+/)
          .filter(Boolean);
      case 'cap':
      case 'count':
      case 'rate':
      case 'valueCap':
        return String(data.get(name)).replace('$', '');
    }
  };
  return Object.fromEntries(ENTRIES.map(([name, limit]) => [name, read(name, limit)]));
}

/** Returns the limits of a key by the names of their fields. */
function listHeld({ caps: { day_per, ...caps }, ...limits }: KeyItem): Readonly<Record<string, unknown>> {
  return {
    ...limits,
    ...Object.fromEntries(Object.entries(caps).map(([window, { limit }]) => [`cap_${window}`, limit])),
    cap_day_per: day_per && `${day_per.key}=${day_per.limit}`,
  };
}
