import type { Pagination } from '@image-gateway/shared/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { Card } from './card.js';
import { Button } from './forms/button.js';
import { Load } from './states.js';
import { Table } from './table.js';

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

/** Way through a list that is read part by part. */
export interface Places {
  /** Where the shown part begins; undefined for the newest one. */
  readonly before: string | undefined;
  readonly goOlder: (next: string) => void;
  readonly goNewer: () => void;
  /** Goes back to the newest part, as a change of the filter does. */
  readonly reset: () => void;
}

/** Keeps the places of the parts that were shown, so that the way back needs no request of its own. */
export function usePlaces(): Places {
  const [places, setPlaces] = useState<readonly string[]>([]);
  return {
    before: places.at(-1),
    goOlder: (next) => setPlaces([...places, next]),
    goNewer: () => setPlaces(places.slice(0, -1)),
    reset: () => setPlaces([]),
  };
}

/** The way through the parts of a list; nothing when there is only one. */
export function PartPager({ places, next }: { readonly places: Places; readonly next: string | null }) {
  if (places.before === undefined && next === null) {
    return null;
  }
  return (
    <nav
      aria-label="Pages"
      className="flex flex-wrap items-center justify-end gap-2 border-line border-t px-5 py-3 text-muted text-sm sm:px-6"
    >
      <Button small disabled={places.before === undefined} onClick={places.goNewer}>
        <ChevronLeft aria-hidden />
        Newer
      </Button>
      <Button small disabled={next === null} onClick={() => next !== null && places.goOlder(next)}>
        Older
        <ChevronRight aria-hidden />
      </Button>
    </nav>
  );
}

/** Table of a list that is read part by part, on a sheet of its own. */
export function PartTable<T extends { readonly id: string }>({
  query,
  places,
  ...table
}: Omit<ComponentProps<typeof Table<T>>, 'rows' | 'getKey'> & {
  readonly query: UseQueryResult<{ readonly items: readonly T[]; readonly next: string | null }>;
  readonly places: Places;
}) {
  return (
    <Card flush className="pt-3">
      <Load query={query} rows={6}>
        {({ items, next }) => (
          <>
            <Table rows={items} getKey={({ id }) => id} {...table} />
            <PartPager places={places} next={next} />
          </>
        )}
      </Load>
    </Card>
  );
}
