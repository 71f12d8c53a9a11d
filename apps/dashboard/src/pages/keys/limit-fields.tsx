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
import { useGet } from '../../api/use-get.js';
import { CheckGroup } from '../../ui/forms/check-group.js';
import { CONTROL, Field } from '../../ui/forms/field.js';
import { TextField } from '../../ui/forms/text-field.js';

/** Limits of a key as the form holds them: choices as lists, and the rest as text. */
export type LimitDraft = Readonly<Record<KeyLimitName, string | readonly string[]>>;

const ENTRIES = listLimits(KEY_LIMITS);
const SCOPES: Readonly<Record<KeyScope, string>> = {
  generate: 'generate: submit tasks',
  read: 'read: all tasks, usage and balance',
  delete: 'delete: remove tasks, cancel those of other keys',
};
const SWITCHED_ON = ['on'];

/** Limits of a key that was not limited. */
export const NO_LIMITS = toDrafts(({ kind }) => NO_LIMIT[kind]);

/** Returns the limits of a key as the form shows them. */
export function toDraft({ caps: { day_per, ...caps }, ...limits }: KeyItem): LimitDraft {
  const amounts = Object.entries(caps).map(([window, { limit }]) => [`cap_${window}`, limit]);
  const shown: Readonly<Record<string, unknown>> = {
    ...limits,
    ...Object.fromEntries(amounts),
    cap_day_per: day_per && `${day_per.key}=${day_per.limit}`,
  };
  return toDrafts((_, name) => shown[name]);
}

/** Returns the body that sets the limits of the form. */
export function toBody(draft: LimitDraft): KeyLimitsBody {
  const read = (value: string | readonly string[], { kind }: LimitEntry): unknown => {
    if (typeof value !== 'string') {
      return kind === 'switch' ? value.length > 0 : value;
    }
    return kind === 'networks' ? value.split(/[\s,]+/).filter(Boolean) : value.replace('$', '');
  };
  return Object.fromEntries(ENTRIES.map(([name, limit]) => [name, read(draft[name], limit)]));
}

/** Fields for the limits of a key, the caps first. */
export function LimitFields({
  draft,
  onChange,
}: {
  readonly draft: LimitDraft;
  readonly onChange: (draft: LimitDraft) => void;
}) {
  const show = ([name, limit]: (typeof ENTRIES)[number]) => (
    <LimitField
      key={name}
      limit={limit}
      value={draft[name]}
      onChange={(value) => onChange({ ...draft, [name]: value })}
    />
  );
  const isCap = ([, { kind }]: (typeof ENTRIES)[number]) => kind === 'cap';
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">{ENTRIES.filter(isCap).map(show)}</div>
      {ENTRIES.filter((entry) => !isCap(entry)).map(show)}
    </>
  );
}

function LimitField({
  limit: { kind, label, hint, summary },
  value,
  onChange,
}: {
  readonly limit: LimitEntry;
  readonly value: string | readonly string[];
  readonly onChange: (value: string | readonly string[]) => void;
}) {
  const offered = useGet({ path: '/playground' }).data?.models ?? [];
  if (typeof value !== 'string') {
    const options = {
      models: [...new Set([...offered.map(({ id }) => id), ...value])].map((id) => [id, id] as const),
      scopes: KEY_SCOPES.map((scope) => [scope, SCOPES[scope]] as const),
      switch: SWITCHED_ON.map((on) => [on, summary] as const),
    }[kind as 'models' | 'scopes' | 'switch'];
    return <CheckGroup label={label} hint={hint} options={options} chosen={value} onChange={onChange} />;
  }
  if (kind === 'networks') {
    return (
      <Field label={label} hint={hint}>
        {(control) => (
          <textarea
            {...control}
            rows={2}
            spellCheck={false}
            className={CONTROL}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Field>
    );
  }
  return (
    <TextField
      label={label}
      hint={hint}
      inputMode={kind === 'cap' ? 'decimal' : kind === 'count' ? 'numeric' : 'text'}
      placeholder="none"
      maxLength={100}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

function toDrafts(find: (limit: LimitEntry, name: KeyLimitName) => unknown): LimitDraft {
  const drafts = ENTRIES.map(([name, limit]) => [name, toDraftValue(limit, find(limit, name))]);
  return Object.fromEntries(drafts) as LimitDraft;
}

function toDraftValue({ kind }: LimitEntry, value: unknown): string | readonly string[] {
  if (kind === 'switch') {
    return value === true ? SWITCHED_ON : [];
  }
  if (Array.isArray(value)) {
    return kind === 'networks' ? value.join('\n') : value;
  }
  return String(value ?? '').replace('$', '');
}
