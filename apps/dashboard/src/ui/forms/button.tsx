import type { ComponentProps } from 'react';
import { cx } from '../../lib/cx.js';

/** How much a button asks for attention. */
export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-ink text-ground hover:opacity-88',
  plain: 'border border-line bg-surface text-ink hover:border-line-strong',
  quiet: 'text-muted hover:bg-sunken hover:text-ink',
  danger: 'border border-line bg-surface text-bad hover:border-bad hover:bg-bad-soft',
};

/** The class names of a button, for links that look like one. */
export function buttonClass(kind: ButtonKind = 'plain', small = false): string {
  return cx(
    'inline-flex items-center justify-center gap-2 whitespace-nowrap rounded-lg font-medium transition',
    'disabled:pointer-events-none disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
    small ? 'min-h-8 px-2.5 text-[0.8125rem]' : 'min-h-10 px-4 text-sm',
    KINDS[kind],
  );
}

/** Button; `type="submit"` makes it submit its form. */
export function Button({
  kind = 'plain',
  small = false,
  className,
  ...props
}: ComponentProps<'button'> & { readonly kind?: ButtonKind; readonly small?: boolean }) {
  return <button type="button" {...props} className={cx(buttonClass(kind, small), className)} />;
}
