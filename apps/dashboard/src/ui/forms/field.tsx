import { type ReactNode, useId } from 'react';

/** Props that a field passes to its control. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

/** The looks of text fields and selects. */
export const CONTROL =
  'w-full min-h-10 rounded-lg border border-line-strong bg-surface px-3 py-2 text-[0.9375rem] text-ink placeholder:text-muted focus-visible:outline-offset-0 aria-invalid:border-bad';

/** A control with its label and, below, what helps to fill it, and what is wrong with it. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
  readonly children: (control: ControlProps) => ReactNode;
}) {
  const id = useId();
  const [hintId, errorId] = [`${id}-hint`, `${id}-error`];
  const described = [hint !== undefined && hintId, error != null && errorId].filter(Boolean).join(' ');
  return (
    <div className="grid min-w-0 content-start gap-1.5">
      <label htmlFor={id} className="font-medium text-sm">
        {label}
      </label>
      {children({
        id,
        ...(described !== '' && { 'aria-describedby': described }),
        ...(error != null && { 'aria-invalid': true as const }),
      })}
      {error != null && (
        <p id={errorId} role="alert" className="text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={hintId} className="text-[0.8125rem] text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}
