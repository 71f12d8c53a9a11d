import type { Readable } from 'node:stream';
import type { Rate } from '@image-gateway/shared/config';

/** Who calls, once the key is known to be good. */
export interface Caller {
  readonly accountId: string;
  readonly apiKeyId: string;
  /** Requests that an operator allows this account, all its keys together; absent: what everybody may have. */
  readonly requests?: Rate;
}

/** One HTTP request as handlers see it, without any type of the web framework. */
export interface Call {
  /** The request id, in every log line and in `X-Request-Id`. */
  readonly id: string;
  readonly method: string;
  /** Of the client, as `TRUST_PROXY` says. */
  readonly ip: string;
  readonly params: Readonly<Record<string, string>>;
  /** A repeated parameter is a list. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Every value of a header, in order; empty when the header is absent. */
  readonly header: (name: string) => readonly string[];
  /** The parsed JSON body, where the route reads one. */
  readonly body: unknown;
}

/** A request with a good key. */
export interface KeyCall extends Call {
  readonly caller: Caller;
}

/** An answer: JSON (`data` of the envelope is the handler's to wrap), text, or a stream. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Written as JSON, unless `text` or `stream` is there. */
  readonly json?: unknown;
  readonly text?: string | Buffer;
  readonly stream?: Readable;
}

/** Answers a request; what it throws becomes an error answer. */
export type Handler<C extends Call = Call> = (call: C) => Promise<Reply> | Reply;
