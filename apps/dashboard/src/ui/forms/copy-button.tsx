import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { cx } from '../../lib/cx.js';
import { Button, type ButtonKind } from './button.js';

const SHOWN_MS = 2_000;

/** Copies a text and says that it did. */
export function CopyButton({
  text,
  label = 'Copy',
  kind = 'plain',
  isIcon = false,
}: {
  readonly text: string;
  readonly label?: string;
  readonly kind?: ButtonKind;
  /** The label is for screen readers; only what came of it is shown. */
  readonly isIcon?: boolean;
}) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  useEffect(() => {
    if (state === 'idle') {
      return;
    }
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = (): void => {
    writeText(text).then(
      () => setState('copied'),
      () => setState('refused'),
    );
  };
  return (
    <Button small kind={kind} title={isIcon ? 'Copy' : undefined} onClick={copy}>
      {state === 'copied' ? <Check aria-hidden /> : <Copy aria-hidden />}
      <span aria-live="polite" className={cx(isIcon && state === 'idle' && 'sr-only')}>
        {state === 'copied' ? 'Copied' : state === 'refused' ? 'Select and copy it' : label}
      </span>
    </Button>
  );
}

/** The clipboard is there on https and on localhost only; elsewhere an old way has to do. */
async function writeText(text: string): Promise<void> {
  if (window.isSecureContext) {
    return navigator.clipboard.writeText(text);
  }
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (!done) {
    throw new Error('refused');
  }
}
