import { KEY_CAPS, KEY_LIMITS, type LimitEntry, listLimits, NO_LIMIT } from '@image-gateway/shared/contract';
import type { KeyItem } from '@image-gateway/shared/key/schema';
import { useGet } from '../../api/use-api.js';
import { dollars, tidyMoney } from '../../lib/figures.js';
import { Fields } from '../../ui/forms/fields.js';
import { UsedBar } from '../../ui/stats.js';
import { listLimitFields } from './limit-fields.js';

/** Limits of a key, each cap with a bar of what is used. A key without caps may spend all that the account has. */
export function KeyLimits({ item }: { readonly item: KeyItem }) {
  const { caps, scopes } = item;
  const isUncapped = scopes.includes('generate') && KEY_CAPS.every(([window]) => !caps[window]);
  const notes = [
    ...(isUncapped ? ['may spend the whole balance'] : []),
    ...listLimits(KEY_LIMITS).flatMap(([name, limit]) =>
      name in item ? describe(limit, item[name as keyof KeyItem]) : [],
    ),
    ...(caps.day_per ? [`each ${caps.day_per.key}: ${caps.day_per.limit} a day`] : []),
  ];
  return (
    <div className="grid gap-2">
      {KEY_CAPS.map(([window, { summary }]) => {
        const cap = caps[window];
        return (
          cap && (
            <UsedBar
              key={window}
              part={dollars(cap.used)}
              whole={dollars(cap.limit)}
              words={`${cap.used} of ${cap.limit} ${summary ?? ''}`}
            />
          )
        );
      })}
      {notes.map((note) => (
        <span key={note} className="text-muted text-xs [overflow-wrap:anywhere]">
          {tidyMoney(note)}
        </span>
      ))}
    </div>
  );
}

/** Fields for the limits of a key, on the page of its owner or on that of operators. */
export function LimitFields({
  of,
  item,
}: {
  readonly of: 'owner' | 'operator';
  readonly item?: KeyItem | undefined;
}) {
  const { data } = useGet({ path: of === 'owner' ? '/playground' : '/operator/models' });
  const offered = (data?.models ?? []).map(({ id }) => id);
  const { caps, others } = listLimitFields(offered, item);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <Fields fields={caps} />
      </div>
      <Fields fields={others} />
    </>
  );
}

/** Says what a limit is; nothing where it limits nothing. */
function describe({ kind, label, summary = `${label}: ` }: LimitEntry, value: unknown): readonly string[] {
  if (value === null || JSON.stringify(value) === JSON.stringify(NO_LIMIT[kind])) {
    return [];
  }
  return [kind === 'switch' ? summary : `${summary}${[value].flat().join(', ')}`];
}
