import type { IncomingMessage } from 'node:http';
import type { Logger } from '@image-gateway/shared/logging';
import type { Caller } from './call.js';

/** What the layers of one request tell each other. */
export interface RequestState {
  readonly id: string;
  readonly startedAt: number;
  /** Carries the request id; made when it is first asked for, which most requests never do. */
  readonly logger: () => Logger;
  /** Set once the key was found good. */
  caller?: Caller;
  /** The pattern of the route that answered. */
  route?: string;
}

// On the request itself: a WeakMap of so many short-lived keys keeps the garbage collector busy.
const STATE = Symbol('state');
type WithState = IncomingMessage & { [STATE]?: RequestState };

/** Attaches its state to a request. */
export function setState(request: IncomingMessage, state: RequestState): void {
  (request as WithState)[STATE] = state;
}

/** The state of a request; throws when the request never passed the first layer, which is a mistake in our code. */
export function getState(request: IncomingMessage): RequestState {
  const state = (request as WithState)[STATE];
  if (!state) throw new Error('the request has no state');
  return state;
}
