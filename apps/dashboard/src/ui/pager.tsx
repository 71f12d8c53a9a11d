import type { Pagination } from '@image-gateway/shared/contract';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from './forms/button.js';

/** The way through the pages of a list; nothing when there is only one. */
export function Pager({
  pagination,
  onPage,
}: {
  readonly pagination: Pagination;
  readonly onPage: (page: number) => void;
}) {
  const { page, per_page, total, total_pages } = pagination;
  if (total_pages <= 1) {
    return null;
  }
  const first = (page - 1) * per_page + 1;
  return (
    <nav
      aria-label="Pages"
      className="flex flex-wrap items-center justify-between gap-3 border-line border-t px-5 py-3 text-muted text-sm sm:px-6"
    >
      <span className="figures" aria-live="polite">
        {first.toLocaleString('en')}–{Math.min(total, first + per_page - 1).toLocaleString('en')} of{' '}
        {total.toLocaleString('en')}
      </span>
      <span className="flex gap-2">
        <Button small disabled={page <= 1} onClick={() => onPage(page - 1)}>
          <ChevronLeft aria-hidden />
          Newer
        </Button>
        <Button small disabled={page >= total_pages} onClick={() => onPage(page + 1)}>
          Older
          <ChevronRight aria-hidden />
        </Button>
      </span>
    </nav>
  );
}
