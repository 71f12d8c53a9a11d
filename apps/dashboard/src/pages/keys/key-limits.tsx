import type { KeyItem } from '@image-gateway/shared/contract';
import { TriangleAlert } from 'lucide-react';
import { cx } from '../../lib/cx.js';
import { dollars } from '../../lib/dollars.js';

const WINDOWS = [
  ['day', 'today'],
  ['month', 'this month'],
  ['total', 'in total'],
] as const;
/** Share of a cap from which on the page warns, in percent. */
const WARN_PERCENT = 80;

/** Limits of a key, each cap with a bar of what is used. A key without caps may spend all that the account has. */
export function KeyLimits({ item }: { readonly item: KeyItem }) {
  const { caps, models, scopes, allowed_cidrs: networks, join_equal: joinsEqual } = item;
  const isUncapped = scopes.includes('generate') && WINDOWS.every(([window]) => !caps[window]);
  const notes = [
    ...(isUncapped ? ['may spend the whole balance'] : []),
    ...(models.length > 0 ? [`models: ${models.join(', ')}`] : []),
    ...(isDefault(scopes) ? [] : [`scopes: ${scopes.join(', ')}`]),
    ...(networks.length > 0 ? [`networks: ${networks.join(', ')}`] : []),
    ...(caps.day_per ? [`each ${caps.day_per.key}: ${caps.day_per.limit} a day`] : []),
    ...(joinsEqual ? ['equal requests share a task'] : []),
  ];
  return (
    <div className="grid gap-2">
      {WINDOWS.map(([window, words]) => {
        const cap = caps[window];
        return cap && <CapBar key={window} {...cap} words={words} />;
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
  words,
}: {
  readonly limit: string;
  readonly used: string;
  readonly words: string;
}) {
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

const isDefault = (scopes: KeyItem['scopes']): boolean =>
  scopes.length === 2 && scopes.includes('generate') && scopes.includes('read');
