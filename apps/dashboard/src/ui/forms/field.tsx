import { type ReactNode, useId } from 'react';

/** Props that a field passes to its control. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby'?: string;
}

/** The looks of text fields and selects. */
export const CONTROL =
  'w-full min-h-10 rounded-lg border border-line-strong bg-surface px-3 py-2 text-[0.9375rem] text-ink placeholder:text-muted focus-visible:outline-offset-0';

/** A control with its label and, below, what helps to fill it. */
export function Field({
  label,
  hint,
  children,
}: {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly children: (control: ControlProps) => ReactNode;
}) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="grid min-w-0 content-start gap-1.5">
      <label htmlFor={id} className="font-medium text-sm">
        {label}
      </label>
      {children({ id, ...(hint !== undefined && { 'aria-describedby': hintId }) })}
      {hint !== undefined && (
        <p id={hintId} className="text-[0.8125rem] text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}
