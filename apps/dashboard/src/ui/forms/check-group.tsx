import type { ReactNode } from 'react';

/** A choice of some among a few. */
export function CheckGroup<T extends string>({
  label,
  hint,
  options,
  chosen,
  onChange,
}: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly options: readonly (readonly [value: T, label: ReactNode])[];
  readonly chosen: readonly T[];
  readonly onChange: (chosen: readonly T[]) => void;
}) {
  return (
    <fieldset className="grid min-w-0 gap-1.5">
      <legend className="mb-1.5 font-medium text-sm">{label}</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        {options.map(([value, text]) => (
          <label key={value} className="flex min-h-8 items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="size-4 shrink-0 accent-(--accent)"
              checked={chosen.includes(value)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
              }
            />
            {text}
          </label>
        ))}
      </div>
      {hint !== undefined && <p className="text-[0.8125rem] text-muted">{hint}</p>}
    </fieldset>
  );
}
