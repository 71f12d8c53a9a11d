import { KEY_CAPS, KEY_LIMITS, type LimitEntry, listLimits, NO_LIMIT } from '@image-gateway/shared/contract';
import type { KeyItem } from '@image-gateway/shared/key/schema';
import { TriangleAlert } from 'lucide-react';
import { cx } from '../../lib/cx.js';
import { dollars } from '../../lib/figures.js';

/** Share of a cap from which on the page warns, in percent. */
const WARN_PERCENT = 80;

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
        return cap && <CapBar key={window} {...cap} words={summary} />;
      })}
      {notes.map((note) => (
        <span key={note} className="text-muted text-xs [overflow-wrap:anywhere]">
          {note}
        </span>
      ))}
    </div>
  );
}

function CapBar({
  limit,
  used,
  words = '',
}: Readonly<{ limit: string; used: string; words?: string | undefined }>) {
  const percent = Math.min(100, Math.floor((dollars(used) / dollars(limit)) * 100));
  const isNear = percent >= WARN_PERCENT;
  return (
    <div className="grid max-w-60 gap-1">
      <span
        className={cx(
          'figures flex items-center gap-1 text-xs',
          isNear ? 'font-medium text-bad' : 'text-muted',
        )}
      >
        {isNear && <TriangleAlert aria-hidden className="size-3.5 shrink-0" />}
        <span>
          {used} of {limit} {words}
          {isNear && `, ${percent} %`}
        </span>
      </span>
      <span aria-hidden className="h-1.5 overflow-hidden rounded-full bg-sunken">
        <span
          className={cx('block h-full rounded-full', isNear ? 'bg-bad' : 'bg-good')}
          style={{ width: `${percent}%` }}
        />
      </span>
    </div>
  );
}

/** Says what a limit is; nothing where it limits nothing. */
function describe({ kind, label, summary = `${label}: ` }: LimitEntry, value: unknown): readonly string[] {
  if (value === null || JSON.stringify(value) === JSON.stringify(NO_LIMIT[kind])) {
    return [];
  }
  return [kind === 'switch' ? summary : `${summary}${[value].flat().join(', ')}`];
}
