import type { ReactNode } from 'react';

/** A number that matters, with its name. */
export function Stat({
  name,
  value,
  note,
}: {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}) {
  return (
    <div className="min-w-0 bg-surface px-5 py-4 sm:px-6 sm:py-5">
      <dt className="text-muted text-sm">{name}</dt>
      <dd className="figures mt-1 truncate font-semibold text-2xl tracking-[-0.02em]">{value}</dd>
      {note !== undefined && <dd className="mt-0.5 text-[0.8125rem] text-muted">{note}</dd>}
    </div>
  );
}
