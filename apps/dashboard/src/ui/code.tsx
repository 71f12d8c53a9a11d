import { cx } from '../lib/cx.js';

/** A piece of text for machines; it breaks anywhere rather than scroll the page. */
export function Code({ text, block = false }: { readonly text: string; readonly block?: boolean }) {
  if (!block) {
    return (
      <code className="rounded bg-sunken px-1.5 py-0.5 font-mono text-[0.8125rem] [overflow-wrap:anywhere]">
        {text}
      </code>
    );
  }
  return (
    <pre
      className={cx(
        'whitespace-pre-wrap break-words rounded-xl bg-sunken p-4 font-mono text-[0.8125rem] leading-relaxed',
        '[overflow-wrap:anywhere]',
      )}
    >
      <code>{text}</code>
    </pre>
  );
}
