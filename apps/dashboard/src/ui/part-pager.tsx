import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Button } from './forms/button.js';

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
