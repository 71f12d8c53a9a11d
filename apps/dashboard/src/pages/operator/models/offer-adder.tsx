import { QUALITIES, RESOLUTIONS } from '@image-gateway/shared/contract';
import { useState } from 'react';
import { Button } from '../../../ui/forms/button.js';
import { Field } from '../../../ui/forms/fields.js';

/** Names of everything that an amount may stand for: each resolution, alone and with each quality, such as `2k high`. */
const OFFERS: readonly string[] = RESOLUTIONS.flatMap((resolution) => [
  resolution,
  ...QUALITIES.map((quality) => `${resolution} ${quality}`),
]);

/** Returns the offers that fields are shown for: a resolution has one plain field, or those of its qualities. */
export const listShown = (names: readonly string[]): readonly string[] =>
  OFFERS.filter(
    (name) =>
      names.includes(name) && (name.includes(' ') || !names.some((one) => one.startsWith(`${name} `))),
  );

/** Choice of a resolution or quality that has no field yet, and the button that adds one. */
export function OfferAdder({
  what,
  shown,
  onAdd,
}: {
  readonly what: 'price' | 'cost';
  readonly shown: readonly string[];
  readonly onAdd: (name: string) => void;
}) {
  const [chosen, setChosen] = useState('');
  const isPlainTaken = (name: string): boolean => shown.some((one) => one.split(' ')[0] === name);
  const possible = OFFERS.filter((name) => !shown.includes(name) && !isPlainTaken(name)).toSorted(
    (a, b) => a.split(' ').length - b.split(' ').length,
  );
  const next = possible.find((name) => name === chosen) ?? possible[0];
  return (
    next !== undefined && (
      <div className="flex flex-wrap items-end gap-2">
        <div className="w-40">
          <Field
            label={`Further ${what}`}
            value={next}
            options={possible.map((name) => [name, name] as const)}
            onChange={setChosen}
          />
        </div>
        <Button onClick={() => onAdd(next)}>Add {what}</Button>
        <p className="w-full text-[0.8125rem] text-muted">
          {what === 'price' && 'A price needs a route that has a cost for it. '}
          {what === 'price' ? 'Prices' : 'Costs'} by quality replace the plain {what} of their resolution.
        </p>
      </div>
    )
  );
}
