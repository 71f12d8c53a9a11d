import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { cx } from '../../lib/cx.js';

/** How much a button asks for attention. */
export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

interface Looks {
  readonly kind?: ButtonKind | undefined;
  readonly small?: boolean;
}

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-ink text-ground hover:opacity-88',
  plain: 'border border-line bg-surface text-ink hover:border-line-strong',
  quiet: 'text-muted hover:bg-sunken hover:text-ink',
  danger: 'border border-line bg-surface text-bad hover:border-bad hover:bg-bad-soft',
};

const look = ({ kind = 'plain', small }: Looks, className?: string): string =>
  cx(
    'inline-flex items-center justify-center gap-2 whitespace-nowrap rounded-lg font-medium transition',
    'disabled:pointer-events-none disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
    small ? 'min-h-8 px-2.5 text-[0.8125rem]' : 'min-h-10 px-4 text-sm',
    KINDS[kind],
    className,
  );

/** Button; `type="submit"` makes it submit its form. */
export function Button({ kind, small = false, className, ...props }: ComponentProps<'button'> & Looks) {
  return <button type="button" {...props} className={look({ kind, small }, className)} />;
}

/** Link that looks like a button, to a file or to a page outside the dashboard. */
export function ButtonAnchor({ kind, small = false, className, ...props }: ComponentProps<'a'> & Looks) {
  return <a {...props} className={look({ kind, small }, className)} />;
}

/** Link to a page of the dashboard that looks like a button. */
export const ButtonLink = createLink(ButtonAnchor);
