/** Faults of one sort, such as "nobody is turned away", counted by what they say. */
export type Notes = ReturnType<typeof createNotes>;

const MAX_LINES = 8;

/** Creates the notes of a run; each fault carries the step in which it was seen. */
export function createNotes() {
  const faults = new Map<string, Map<string, { count: number; readonly sample: string }>>();
  let step = 'start';
  return {
    /** Notes a fault; `sample` is shown for the first one that says the same. */
    add: (promise: string, what: string, sample = '') => {
      const group = faults.get(promise) ?? new Map<string, { count: number; readonly sample: string }>();
      faults.set(promise, group);
      const key = step === '' ? what : `[${step}] ${what}`;
      const known = group.get(key);
      if (known) {
        known.count += 1;
      } else {
        group.set(key, { count: 1, sample });
      }
    },
    of: (promise: string) => {
      const lines = [...(faults.get(promise) ?? [])].map(
        ([what, { count, sample }]) =>
          `${what}${count > 1 ? ` (${count} times)` : ''}${sample === '' ? '' : `: ${sample}`}`,
      );
      const more = lines.length - MAX_LINES;
      return more > 0 ? [...lines.slice(0, MAX_LINES), `and ${more} more`] : lines;
    },
    /** Names the step of the upgrade that begins; the empty text means none. */
    begin: (next: string) => {
      step = next;
    },
    step: () => step,
  };
}
