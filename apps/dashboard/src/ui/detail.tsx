import type { ReactNode } from 'react';
import { tidyPart } from '../lib/figures.js';

/** A name and its value in a list of facts. */
export function Detail({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="grid gap-0.5 border-line border-b py-2.5 last:border-0 sm:grid-cols-[11rem_minmax(0,1fr)] sm:gap-4">
      <dt className="text-muted text-sm">{name}</dt>
      <dd className="min-w-0 break-words text-sm [overflow-wrap:anywhere]">{tidyPart(children)}</dd>
    </div>
  );
}
