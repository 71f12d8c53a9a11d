/** Elements that had the focus and are remembered. */
const MAX_REMEMBERED = 12;

/** Parts of a page that take the focus of what they contained. */
const PARTS = 'form, section, table, ul, nav, [role=dialog], main';

/** Element that had the focus, with the elements around it, from the inside out. */
type Place = readonly HTMLElement[];

/**
 * Gives the focus on when the element that has it is removed, as a row is whose button deletes it. The part of the page around it gets
 * the focus, or the element that had it before, such as the button of a closed dialog. A keyboard would start anew at the top otherwise.
 */
export function keepFocus(): void {
  const places: Place[] = [];
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target !== places.at(-1)?.[0]) {
      places.push(listAround(target));
      places.splice(0, places.length - MAX_REMEMBERED);
    }
  });
  const restore = (): void => {
    const last = places.at(-1)?.[0];
    if (last && !last.isConnected && document.activeElement === document.body) {
      findNext(places)?.focus({ preventScroll: true });
    }
  };
  new MutationObserver(restore).observe(document.body, { childList: true, subtree: true });
}

function listAround(element: HTMLElement): Place {
  const around: HTMLElement[] = [];
  for (
    let one: HTMLElement | null = element;
    one !== null && one !== document.body;
    one = one.parentElement
  ) {
    around.push(one);
  }
  return around;
}

/** Finds what takes the focus, the last place first. */
function findNext(places: readonly Place[]): HTMLElement | null {
  for (const place of places.toReversed()) {
    const next = place.find((one) => one.isConnected && (one === place[0] || one.matches(PARTS)));
    if (next) {
      if (next !== place[0] && !next.hasAttribute('tabindex')) {
        next.tabIndex = -1;
      }
      return next;
    }
  }
  return document.querySelector('main');
}
