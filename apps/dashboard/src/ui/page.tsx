import { type ReactNode, useEffect } from 'react';

/** A page: its title, once as the heading and once for the browser, and what can be done on it. */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · image-gateway`;
  }, [title]);
  return (
    <>
      <header className="mb-7 flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
        <div className="min-w-0 max-w-2xl">
          <h1 className="text-balance font-semibold text-[1.625rem] leading-tight tracking-[-0.02em] sm:text-3xl">
            {title}
          </h1>
          {lead !== undefined && <p className="mt-1.5 text-pretty text-muted">{lead}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">{children}</div>
    </>
  );
}
