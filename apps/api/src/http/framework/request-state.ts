import type { IncomingMessage } from 'node:http';
import type { Logger } from '@image-gateway/shared/logging';
import type { Caller, Upload } from './call.js';
import type { UnknownClients } from './unknown-clients.js';

/** State that the layers of one request share. */
export interface RequestState {
  readonly id: string;
  /** Canonical address of the client, as `TRUST_PROXY` says; empty when its connection has broken or a proxy wrote no address. */
  readonly address: string;
  readonly startedAt: number;
  /** Logger with the request id; created on first use, which most requests never make. */
  readonly logger: () => Logger;
  /** Present once the key is valid. */
  caller?: Caller;
  /** Pattern of the matched route. */
  route?: string;
  /** Id of the trace that the request belongs to; null or absent where it is not traced. */
  traceId?: string | null | undefined;
  /** Present for a body that may take long. */
  upload?: Upload;
  /** True for a request that waits for something other than this process. */
  isHeld?: boolean;
  /** Register of requests whose body is under way and whose client is unknown. */
  readonly unknownClients?: UnknownClients;
  /** True for a request whose connection is closed with its answer, whatever it still sends. */
  isRefusedAtOnce?: boolean;
  /** Ends that the request counts as load. */
  stopCounting?: () => void;
}

// On the request itself: a WeakMap of so many short-lived keys keeps the garbage collector busy.
const STATE = Symbol('state');
type WithState = IncomingMessage & { [STATE]?: RequestState };

/** Attaches its state to a request. */
export function setState(request: IncomingMessage, state: RequestState): void {
  (request as WithState)[STATE] = state;
}

/** Returns the upload of a request, if its handler expects one. */
export function getUpload(request: IncomingMessage): Upload | undefined {
  return (request as WithState)[STATE]?.upload;
}

/** Returns the state of a request; undefined before the first layer. */
export function findState(request: IncomingMessage): RequestState | undefined {
  return (request as WithState)[STATE];
}

/** Returns the state of a request; throws when the request skipped the first layer, which is a bug. */
export function getState(request: IncomingMessage): RequestState {
  const state = (request as WithState)[STATE];
  if (!state) {
    throw new Error('the request has no state');
  }
  return state;
}
