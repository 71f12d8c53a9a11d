import type { ImageStore } from '../images/create-image-store.js';
import type { Behaviour, CallKind, Refusal, StubProvider } from './behaviour.js';
import type { Jobs } from './create-jobs.js';
import type { StubResponse } from './stub-response.js';

/** A request as it came in. */
export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Where the caller believes the stub to be, such as `http://127.0.0.1:8090`. */
  readonly origin: string;
}

/** Call as a protocol reads it from a request. */
export interface StubCall {
  readonly kind: CallKind;
  readonly key: string | null;
  readonly model: string | null;
  readonly prompt: string | null;
  /** Number of images. */
  readonly asked: number;
  readonly job: string | null;
  /** The parsed body; undefined when there is none or it is unreadable. */
  readonly body: unknown;
  /** Further parts of the request, for the protocol itself. */
  readonly files?: readonly Upload[];
}

/** A file that came in. */
export interface Upload {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** Context in which a protocol responds to one call. */
export interface StubContext {
  readonly behaviour: Behaviour;
  /** Writes down that so many images were made and cost money. */
  readonly bill: (images: number) => void;
  readonly noteJob: (id: string) => void;
  readonly noteInputs: (inputs: readonly string[]) => void;
  readonly jobs: Jobs;
  readonly images: ImageStore;
  /** Input images that were put there before, by their address. */
  readonly uploads: Map<string, Upload>;
}

/** One provider's protocol. */
export interface StubProtocol {
  readonly name: StubProvider;
  /** Reads the request in this protocol; null when the path is not part of it. */
  readonly read: (request: StubRequest) => Promise<StubCall | null>;
  readonly wrongKey: (call: StubCall) => StubResponse;
  readonly refuse: (refusal: Refusal, call: StubCall, behaviour: Behaviour) => StubResponse;
  readonly answer: (call: StubCall, request: StubRequest, context: StubContext) => Promise<StubResponse>;
}
