import { type ReactNode, useEffect } from 'react';
import { Brand } from './brand.js';
import { ThemeButton } from './theme-button.js';

/** Page without a session: one card in the middle. */
export function PlainPage({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · image-gateway`;
  }, [title]);
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr_auto] px-4">
      <header className="mx-auto flex w-full max-w-5xl items-center justify-between py-4">
        <Brand />
        <ThemeButton />
      </header>
      <main className="mx-auto w-full max-w-[25rem] place-self-center py-8">
        <h1 className="font-semibold text-3xl tracking-[-0.025em]">{title}</h1>
        {lead !== undefined && <p className="mt-2 text-pretty text-muted">{lead}</p>}
        <div className="mt-7 grid gap-4">{children}</div>
      </main>
      <div className="h-14" />
    </div>
  );
}
