import { createLink } from '@tanstack/react-router';
import type { ComponentProps, MouseEvent } from 'react';
import { cx } from '../../lib/cx.js';

/** How much a button asks for attention. */
export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

interface Looks {
  readonly kind?: ButtonKind | undefined;
  readonly small?: boolean;
}

const KINDS: Readonly<Record<ButtonKind, readonly [looks: string, hover: string]>> = {
  primary: ['bg-ink text-ground', 'hover:opacity-88'],
  plain: ['border border-line bg-surface text-ink', 'hover:border-line-strong'],
  quiet: ['text-muted', 'hover:bg-sunken hover:text-ink'],
  danger: ['border border-line bg-surface text-bad', 'hover:border-bad hover:bg-bad-soft'],
};

const look = ({ kind = 'plain', small }: Looks, className?: string, isOff = false): string =>
  cx(
    'inline-flex items-center justify-center gap-2 whitespace-nowrap rounded-lg font-medium transition',
    '[&_svg]:size-4 [&_svg]:shrink-0',
    small ? 'min-h-8 px-2.5 text-[0.8125rem]' : 'min-h-10 px-4 text-sm',
    KINDS[kind][0],
    isOff ? 'cursor-not-allowed opacity-50' : KINDS[kind][1],
    className,
  );

/**
 * Button; `type="submit"` makes it submit its form. A disabled one ignores clicks and keeps the focus, which the attribute of HTML would
 * take away.
 */
export function Button({
  kind,
  small = false,
  className,
  disabled: isOff = false,
  onClick,
  ...props
}: ComponentProps<'button'> & Looks) {
  return (
    <button
      type="button"
      {...props}
      aria-disabled={isOff || undefined}
      onClick={isOff ? ignore : onClick}
      className={look({ kind, small }, className, isOff)}
    />
  );
}

const ignore = (event: MouseEvent): void => event.preventDefault();

/** Link that looks like a button, to a file or to a page outside the dashboard. */
export function ButtonAnchor({ kind, small = false, className, ...props }: ComponentProps<'a'> & Looks) {
  return <a {...props} className={look({ kind, small }, className)} />;
}

/** Link to a page of the dashboard that looks like a button. */
export const ButtonLink = createLink(ButtonAnchor);
