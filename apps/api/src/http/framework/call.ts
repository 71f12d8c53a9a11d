import type { Readable } from 'node:stream';
import type { Rate } from '@image-gateway/shared/config';
import type { KeyScope } from '@image-gateway/shared/contract';
import type { Shape } from '@image-gateway/shared/schema';

/** Account and key of an authenticated request. */
export interface Caller {
  readonly accountId: string;
  readonly apiKeyId: string;
  /** Models that the key may use; empty: all. */
  readonly models: readonly string[];
  readonly scopes: readonly KeyScope[];
  /** True if equal requests of the key to the facade share the task under way. */
  readonly joinEqual: boolean;
  /** Key of metadata whose values have daily caps of their own; null: none. */
  readonly capPerKey: string | null;
  /** Requests that an operator allows this account, all its keys together; absent: the settings apply. */
  readonly requests?: Rate;
}

/** Body of a request that may take long. */
export interface Upload {
  /** Set while the handler does not read: then the client is not the slow one. */
  isPaused: boolean;
}

/** Terms of reading one body. */
export interface BodyTerms {
  /** Largest body, decoded; 256 KiB unless given. */
  readonly maxBytes?: number;
  /** True where the body may be compressed. */
  readonly takesEncoded?: boolean;
  /** True once a key or a session is known. */
  readonly isKnown?: boolean;
}

/** HTTP request as handlers see it, without any type of the web framework. */
export interface Call {
  /** Request id, in every log line and in `X-Request-Id`. */
  readonly id: string;
  readonly method: string;
  /** Canonical address of the client, as `TRUST_PROXY` says. */
  readonly ip: string;
  /**
   * Origin at which the client asked for this process, such as `https://images.example`, as a proxy of `TRUST_PROXY` says; null
   * where none does.
   */
  readonly forwardedOrigin: string | null;
  readonly params: Readonly<Record<string, string>>;
  /** A repeated parameter is a list. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Trace of this request, for what it starts; null where nothing is traced. */
  readonly traceparent: string | null;
  /** Every value of a header, in order; empty when the header is absent. */
  readonly header: (name: string) => readonly string[];
  /** Time at which the request began, on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** Body as it arrives, where the route reads none. */
  readonly source: Readable;
  /** Allows a slow body, as long as it brings the least rate. Returns the state of the upload. */
  readonly expectUpload: () => Upload;
  /** Parsed JSON body, where the route reads one. */
  readonly body: unknown;
  /** Reads the JSON body of a route that judges its caller by itself first. Rejects with AppError. */
  readonly readJson: (terms: BodyTerms) => Promise<unknown>;
  /**
   * Begins to hold the request open. From now on it counts neither as load nor in the times of answers. Returns the signal that is
   * aborted when its connection or its response has ended.
   */
  readonly holdOpen: () => AbortSignal;
}

/** Request with a valid key. */
export interface KeyCall extends Call {
  readonly caller: Caller;
}

/** Response: JSON including its envelope, text, or a stream. */
export interface Reply<J = unknown> {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Written as JSON, unless `text` or `stream` is present. */
  readonly json?: J;
  readonly text?: string | Buffer;
  readonly stream?: Readable;
  /** True when nothing else has the chunks of the stream. Each is freed when it has been sent. */
  readonly ownsChunks?: boolean;
  /** Called once when the response has ended: true if all of it was handed to the connection. */
  readonly onEnd?: (isDelivered: boolean) => void;
}

/** Handles a request; a thrown error becomes an error response. */
export type Handler<C extends Call = Call, J = unknown> = (call: C) => Promise<Reply<J>> | Reply<J>;

/** Route of the API. */
export type Route = {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  /** Present when a JSON body is read; with `small-json` one of more than 256 KiB, or of unknown length, is left to the handler. */
  readonly body?: 'json' | 'small-json';
  /** Data of its successful response; tests check each one. */
  readonly response?: Shape<unknown, unknown>;
} & (
  | { readonly access: 'open'; readonly handle: Handler<Call> }
  | {
      readonly access: 'key';
      /** Scopes of which the key needs one; the handler may ask for more. */
      readonly scopes: readonly KeyScope[];
      readonly handle: Handler<KeyCall>;
    }
);
