/** Keeps callers from waiting for something that does not answer. */
export interface Circuit {
  /** Does something, or gives null at once while it is known not to work, and after the time-out or a failure. */
  readonly run: <T>(action: () => Promise<T>) => Promise<T | null>;
}

/** How a circuit is made. */
export interface CircuitOptions {
  /** Tried in the background while the circuit is open; closes it unless it rejects or takes too long. */
  readonly isBack: () => Promise<unknown>;
  /** How long an action may take, in milliseconds; 500 unless given. */
  readonly timeoutMs?: number;
  /** How long nothing is tried after a failure, in milliseconds; 1000 unless given. */
  readonly openMs?: number;
}

const TIMEOUT_MS = 500;
const OPEN_MS = 1_000;

/** Makes a circuit. The first failure opens it; from then on nobody waits until a look in the background found it well again. */
export function createCircuit({ isBack, timeoutMs = TIMEOUT_MS, openMs = OPEN_MS }: CircuitOptions): Circuit {
  let isOpen = false;
  let nextLookAt = 0;
  let looking = false;

  const inTime = async <T>(promise: Promise<T>): Promise<T | null> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), timeoutMs);
    });
    const done = await Promise.race([promise.catch(() => null), late]);
    clearTimeout(timer);
    return done;
  };
  const open = (): void => {
    isOpen = true;
    nextLookAt = performance.now() + openMs;
  };
  const look = async (): Promise<void> => {
    looking = true;
    if ((await inTime(isBack().then(() => true))) === true) isOpen = false;
    else open();
    looking = false;
  };

  return {
    run: async (action) => {
      if (isOpen) {
        if (!looking && performance.now() >= nextLookAt) void look();
        return null;
      }
      const result = await inTime(action());
      if (result === null) open();
      return result;
    },
  };
}
