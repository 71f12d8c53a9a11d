import { AppError } from '@image-gateway/shared/errors';

/** Bounds of the places for requests that wait. */
export interface PlaceBounds {
  readonly maxOfAccount: number;
  /** Places of an account for requests that wait for nothing which holds money for them. */
  readonly maxWithoutHold: number;
  /** Places of the process. An account takes one only while it leaves as many free as it has. */
  readonly maxPlaces: number;
}

/** Task that a request waits for. */
export interface AwaitedTask {
  readonly id: string;
  readonly status: string;
}

/** Names the task of a place; false when the account has no such place left. */
export type NameTask = (task: AwaitedTask) => boolean;

/** Takes a place, which is free again when `closed` is aborted; null when the account or the process has none left. */
export type TakePlace = (accountId: string, closed: AbortSignal) => NameTask | null;

/**
 * Creates the places of a process. Money bounds the requests that wait for a pending task each: it holds the price of all of them. Further
 * requests for the same task, and those for a task that has ended, cost their client nothing, so they have few places.
 */
export function createWaitPlaces(bounds: PlaceBounds, onCount?: (places: number) => void): TakePlace {
  const placesByAccount = new Map<string, number>();
  const withoutHold = new Map<string, number>();
  /** Pending tasks that a request waits for. */
  const awaited = new Set<string>();
  let places = 0;

  const change = (accountId: string, by: 1 | -1): void => {
    add(placesByAccount, accountId, by);
    places += by;
    onCount?.(places);
  };

  return (accountId, closed) => {
    const own = placesByAccount.get(accountId) ?? 0;
    if (own >= bounds.maxOfAccount || own >= bounds.maxPlaces - places) {
      return null;
    }
    if (!closed.aborted) {
      change(accountId, 1);
      closed.addEventListener('abort', () => change(accountId, -1), { once: true });
    }
    return ({ id, status }) => {
      if (closed.aborted) {
        return true;
      }
      if (status === 'pending' && !awaited.has(id)) {
        awaited.add(id);
        closed.addEventListener('abort', () => awaited.delete(id), { once: true });
        return true;
      }
      if ((withoutHold.get(accountId) ?? 0) >= bounds.maxWithoutHold) {
        return false;
      }
      add(withoutHold, accountId, 1);
      closed.addEventListener('abort', () => add(withoutHold, accountId, -1), { once: true });
      return true;
    };
  };
}

/** Creates the error of a request that finds no place. */
export function createNoPlaceError(): AppError {
  return new AppError('RATE_LIMITED', {
    publicMessage: 'Too many requests and event streams of this account wait for tasks already.',
    retryAfterSeconds: 1,
  });
}

function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) {
    counts.delete(key);
  } else {
    counts.set(key, count);
  }
}
