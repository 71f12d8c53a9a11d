import type { ComponentProps, ReactNode } from 'react';
import { CONTROL, Field } from './field.js';

/** A field for one line of text. */
export function TextField({
  label,
  hint,
  error,
  ...input
}: ComponentProps<'input'> & {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <input className={CONTROL} {...input} {...control} />}
    </Field>
  );
}
