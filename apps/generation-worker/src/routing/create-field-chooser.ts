import type { Candidate } from '../providers/port.js';
import {
  type ChosenFields,
  chooseFields,
  type FieldName,
  type FieldTask,
  NO_TERMS,
} from './choose-fields.js';

/** Refusal of a field by the upstream of a route. */
export interface FieldRefusal {
  readonly name: FieldName;
  readonly value: unknown;
  /** True when the upstream does not know the field; otherwise the refusal holds for that value. */
  readonly isUnknown: boolean;
}

/** Choice of optional fields, with what upstreams have refused. */
export interface FieldChooser {
  /**
   * Returns the fields of the call that draws a slot. Null where the route does not take a required one, or its upstream has
   * refused it.
   */
  readonly choose: (task: FieldTask, candidate: Candidate, slot: number) => ChosenFields | null;
  /** Leaves a field, or a field with a value, out of all calls of a route for ten minutes. */
  readonly refuse: (candidate: Candidate, refusal: FieldRefusal) => void;
  /** Forgets all refusals, as a new catalog version may have corrected the routes. */
  readonly clear: () => void;
}

const KEPT_MS = 10 * 60_000;
/** Values are the customers' own. */
const MAX_KEPT = 1_000;

/** Creates the choice of this process. */
export function createFieldChooser({
  now = () => performance.now(),
}: {
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number;
} = {}): FieldChooser {
  const until = new Map<string, number>();
  const getName = ({ provider, model }: Candidate, field: readonly unknown[]): string =>
    JSON.stringify([provider.name, model, ...field]);
  const isKept = (name: string): boolean => (until.get(name) ?? 0) > now();
  return {
    choose: (task, candidate, slot) =>
      chooseFields(
        task,
        candidate.terms ?? NO_TERMS,
        slot,
        (name, value) =>
          until.size > 0 && (isKept(getName(candidate, [name])) || isKept(getName(candidate, [name, value]))),
      ),
    refuse: (candidate, { name, value, isUnknown }) => {
      const id = getName(candidate, isUnknown ? [name] : [name, value]);
      until.delete(id);
      until.set(id, now() + KEPT_MS);
      for (const oldest of [...until.keys()].slice(0, Math.max(0, until.size - MAX_KEPT))) {
        until.delete(oldest);
      }
    },
    clear: () => until.clear(),
  };
}
