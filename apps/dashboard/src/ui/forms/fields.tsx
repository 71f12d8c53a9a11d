import { Field as Base } from '@base-ui/react/field';
import { ChevronDown } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { cx } from '../../lib/cx.js';
import { formatTyped } from '../../lib/times.js';

/** Box to tick, with its words. */
export function Check({ children, className, ...input }: ComponentProps<'input'>) {
  return (
    <label className="flex min-h-8 items-center gap-2 text-sm">
      <input type="checkbox" {...input} className={cx('size-4 shrink-0 accent-(--accent)', className)} />
      {children}
    </label>
  );
}

/** Choice of some among a few: the entries of its name in the data of its form. */
export interface CheckGroupProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly choices: readonly (readonly [value: string, label: ReactNode])[];
  /** Values that are chosen at first. */
  readonly chosen: readonly string[];
}

/** Fieldset of boxes to tick. */
export function CheckGroup({ name, label, hint, choices, chosen }: CheckGroupProps) {
  return (
    <fieldset className="grid min-w-0 gap-1.5">
      <legend className="mb-1.5 font-medium text-sm">{label}</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        {choices.map(([value, text]) => (
          <Check key={value} name={name} value={value} defaultChecked={chosen.includes(value)}>
            {text}
          </Check>
        ))}
      </div>
      {hint !== undefined && <p className="text-[0.8125rem] text-muted">{hint}</p>}
    </fieldset>
  );
}

/** Value of a choice and its words. */
export type Option<T extends string = string> = readonly [value: T, label: string];

type Props = Omit<ComponentProps<'input'>, 'value' | 'defaultValue' | 'onChange' | 'ref'>;

/** Field with its label, its hint and its error. It is one line of text where it has neither options nor rows. */
export interface FieldProps<T extends string = string> extends Props {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
  /** Makes it a choice of one. */
  readonly options?: readonly Option<T>[] | undefined;
  /** Makes it a text of several lines. */
  readonly rows?: number | undefined;
  readonly value?: T | undefined;
  readonly defaultValue?: T | undefined;
  readonly onChange?: ((value: T) => void) | undefined;
}

const CONTROL = cx(
  'w-full min-h-10 rounded-lg border border-line-strong bg-surface px-3 py-2 text-[0.9375rem] text-ink',
  'placeholder:text-muted focus-visible:outline-offset-0 aria-invalid:border-bad',
);

/** Control with its label and, below, what is wrong with it and what helps to fill it. */
export function Field<T extends string = string>(props: FieldProps<T>) {
  const { label, hint = readDate(props), error, options, rows, onChange, className, ...input } = props;
  const isWrong = error !== null && error !== undefined;
  const control = (
    <Base.Control
      {...input}
      {...(isWrong && { 'aria-invalid': true })}
      {...(options && { render: <select>{options.map(showOption)}</select> })}
      {...(rows !== undefined && { render: <textarea rows={rows} /> })}
      {...(onChange && { onValueChange: (value) => onChange(value as T) })}
      className={cx(CONTROL, options && 'appearance-none pr-9', className)}
    />
  );
  return (
    <Base.Root className="grid min-w-0 content-start gap-1.5">
      <Base.Label className="font-medium text-sm">{label}</Base.Label>
      {options ? (
        <span className="relative block">
          {control}
          <ChevronDown
            aria-hidden
            className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted"
          />
        </span>
      ) : (
        control
      )}
      <Base.Error
        role="alert"
        className="text-[0.8125rem] text-bad"
        {...(isWrong && { match: true, children: error })}
      />
      {hint !== undefined && (
        <Base.Description className="text-[0.8125rem] text-muted">{hint}</Base.Description>
      )}
    </Base.Root>
  );
}

/** Browsers write days in many ways: a chosen one stands below its field as on the pages. */
function readDate({ type, value = '' }: Pick<FieldProps, 'type' | 'value'>): string | undefined {
  const isDate = type === 'date' || type === 'datetime-local';
  return (isDate && formatTyped(value)) || undefined;
}

const showOption = ([value, label]: Option) => (
  <option key={value} value={value}>
    {label}
  </option>
);

/** Field of a table of fields. */
export type FieldSpec<N extends string = string> = { readonly name: N } & (FieldProps | CheckGroupProps);

/** Field of a new password. */
export const NEW_PASSWORD = {
  name: 'password',
  label: 'New password',
  hint: 'At least 8 characters.',
  type: 'password',
  autoComplete: 'new-password',
  required: true,
  minLength: 8,
  maxLength: 128,
} as const;

/** Field with the e-mail address of somebody else. */
export const EMAIL = {
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  autoComplete: 'off',
  required: true,
  maxLength: 254,
} as const;

/** Field in which users give their password again, for what a session alone may not do. */
export const OWN_PASSWORD = {
  name: 'password',
  label: 'Your password',
  type: 'password',
  autoComplete: 'current-password',
  required: true,
} as const;

/** Fields of a table of fields in their order; `values` and `onChange` make them filters, which have no form. */
export function Fields<N extends string>({
  fields,
  values,
  onChange,
}: {
  readonly fields: readonly FieldSpec<N>[];
  readonly values?: Readonly<Partial<Record<N, unknown>>>;
  readonly onChange?: (change: Readonly<Partial<Record<N, string>>>) => void;
}) {
  return fields.map((field) =>
    'choices' in field ? (
      <CheckGroup key={field.name} {...field} />
    ) : (
      <Field
        key={field.name}
        {...field}
        {...(values && { value: String(values[field.name] ?? '') })}
        {...(onChange && {
          onChange: (value) => onChange({ [field.name]: value } as Partial<Record<N, string>>),
        })}
      />
    ),
  );
}
