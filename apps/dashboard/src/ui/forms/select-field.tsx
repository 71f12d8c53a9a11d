import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../../lib/cx.js';
import { CONTROL, Field } from './field.js';

/** A choice of one among a few: the browser's own control, which every phone and screen reader knows. */
export function SelectField<T extends string>({
  label,
  hint,
  error,
  value,
  options,
  onChange,
}: {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
  readonly value: T;
  readonly options: readonly (readonly [value: T, label: string])[];
  readonly onChange: (value: T) => void;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <span className="relative block">
          <select
            {...control}
            className={cx(CONTROL, 'appearance-none pr-9')}
            value={value}
            onChange={(event) => onChange(event.target.value as T)}
          >
            {options.map(([option, text]) => (
              <option key={option} value={option}>
                {text}
              </option>
            ))}
          </select>
          <ChevronDown
            aria-hidden
            className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted"
          />
        </span>
      )}
    </Field>
  );
}
