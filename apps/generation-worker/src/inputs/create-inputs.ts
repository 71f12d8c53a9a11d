import type { Attempt } from '../attempt/attempt.js';
import { orAbort } from '../attempt/or-abort.js';
import type { InputImage } from '../providers/port.js';
import type { Permits } from '../work/create-permits.js';
import type { InputDeps } from './load-input.js';
import { loadInputs } from './load-inputs.js';

/** What the input images of an attempt need. */
export interface InputsDeps extends InputDeps {
  /** One for each input image that this process may hold at a time, whatever the number of tasks. */
  readonly inputPermits: Pick<Permits, 'acquire'>;
}

/** The input images of one attempt. */
export interface Inputs {
  /** Loads them when first asked, once. */
  readonly load: () => Promise<readonly InputImage[]>;
  /** Must be called at the end of the attempt. */
  readonly drop: () => void;
}

/** Makes the input images of an attempt; none are loaded before they are asked for, and memory is reserved for all at once. */
export function createInputs(deps: InputsDeps, attempt: Pick<Attempt, 'task' | 'signal'>): Inputs {
  let loading: Promise<readonly InputImage[]> | undefined;
  let dropped = false;
  let giveBack: (() => void) | undefined;
  const load = async (): Promise<readonly InputImage[]> => {
    if (attempt.task.imageUrls.length === 0) return [];
    const acquired = deps.inputPermits.acquire(attempt.task.imageUrls.length).then((release) => {
      giveBack = release;
      if (dropped) release();
    });
    await orAbort(acquired, attempt.signal);
    return loadInputs(deps, attempt);
  };
  return {
    load: () => {
      loading ??= load();
      return loading;
    },
    drop: () => {
      dropped = true;
      giveBack?.();
    },
  };
}
