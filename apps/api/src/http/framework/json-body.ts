import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { createSemaphore, type Semaphore } from '@image-gateway/shared/concurrency';
import { LIMITS } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { BodyTerms } from './call.js';
import { findShapeFault } from './check-json-shape.js';
import { HELD_BYTES } from './held-bytes.js';
import { getState } from './request-state.js';
import type { UnknownClients } from './unknown-clients.js';

/** Reads the JSON body of a request. Rejects with errors that end in `BAD_REQUEST`, and AppError `SERVICE_UNAVAILABLE`. */
export type ReadJson = (request: Request, response: Response, terms: BodyTerms) => Promise<unknown>;

/** Memory that bodies under way may take, in bytes. */
export type BodyBudget = Pick<Semaphore, 'acquire' | 'tryAcquire'>;

const MAX_WAIT_MS = 10_000;
/** The first 64 KiB of a body that waits are often in memory, since they came with its headers. */
const MAX_WAITING_PER_KEY = 256;
const BUSY = 'Too many bodies are on their way to this process. Try again in a moment.';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Creates the budget of all bodies under way in a process: a quarter of its heap, at most 128 MiB. No address or account holds more than a
 * quarter of it. A request that waits for more than ten seconds, or behind 256
 * others of its owner, is refused with `503`.
 */
export function createBodyBudget(): BodyBudget {
  return createSemaphore({
    permits: HELD_BYTES,
    leavesRoom: 3,
    timeout: {
      ms: MAX_WAIT_MS,
      maxWaiting: MAX_WAITING_PER_KEY,
      createError: () => new AppError('SERVICE_UNAVAILABLE', { publicMessage: BUSY, retryAfterSeconds: 2 }),
    },
  });
}

/** Creates the reader of JSON bodies. Every body is bounded in bytes, nesting and entries before it is parsed. */
export function createJsonReader({
  budget,
  unknownClients,
}: {
  readonly budget: BodyBudget;
  readonly unknownClients: UnknownClients;
}): ReadJson {
  const parsers = new Map<number, RequestHandler>();
  const getParser = (maxBytes: number): RequestHandler => {
    const parser = parsers.get(maxBytes) ?? createParser(maxBytes);
    parsers.set(maxBytes, parser);
    return parser;
  };
  const read = async (request: Request, response: Response, maxBytes: number): Promise<unknown> => {
    // Its client left while the request waited: no event will tell so again.
    if (request.destroyed) {
      throw cutOff();
    }
    if (isPlain(request, maxBytes)) {
      return parseJson(takeWholeBody(request) ?? (await readSmallBody(request)));
    }
    await new Promise<void>((resolve, reject) => {
      boundEncoded(request, maxBytes, reject);
      void getParser(maxBytes)(request, response, (error?: unknown) =>
        error === undefined ? resolve() : reject(error as Error),
      );
    });
    return request.body as unknown;
  };

  /** Reads in the turn of its owner. */
  const readInTurn = async (
    request: Request,
    response: Response,
    { maxBytes, signal }: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<unknown> => {
    const { address, caller } = getState(request);
    const turn = { key: caller?.accountId ?? address, count: getLength(request, maxBytes) };
    const release = budget.tryAcquire(turn) ?? (await budget.acquire({ ...turn, ...(signal && { signal }) }));
    try {
      return await read(request, response, maxBytes);
    } finally {
      release();
    }
  };
  const readOfStranger = async (
    request: Request,
    response: Response,
    { maxBytes }: { readonly maxBytes: number },
  ): Promise<unknown> => {
    const state = getState(request);
    const refusal = Promise.withResolvers<never>();
    // It is awaited only beside the reading.
    refusal.promise.catch(() => undefined);
    const leave = unknownClients.enter(request, {
      address: state.address,
      refuse: () => {
        state.isRefusedAtOnce = true;
        refusal.reject(tooManyStrangers());
      },
    });
    const stopped = new AbortController();
    try {
      const reading = readInTurn(request, response, { maxBytes, signal: stopped.signal });
      return await Promise.race([reading, refusal.promise]);
    } finally {
      stopped.abort(new Error('the request is refused'));
      leave();
    }
  };

  return async (request, response, { maxBytes = LIMITS.bodyBytes, takesEncoded, isKnown }) => {
    if (!isPlain(request, maxBytes)) {
      checkKind(request, { maxBytes, takesEncoded: takesEncoded === true });
    }
    return isKnown
      ? readInTurn(request, response, { maxBytes })
      : readOfStranger(request, response, { maxBytes });
  };
}

/** Refuses what is not read at all, before any of it is. */
function checkKind(
  request: Request,
  { maxBytes, takesEncoded }: { readonly maxBytes: number; readonly takesEncoded: boolean },
): void {
  if (!request.is('application/json')) {
    throw new AppError('BAD_REQUEST', {
      publicMessage: 'Send a JSON body with the header Content-Type: application/json.',
    });
  }
  const encoding = request.headers['content-encoding'];
  if (!takesEncoded && encoding !== undefined && !/^identity$/i.test(encoding)) {
    throw new AppError('BAD_REQUEST', { publicMessage: 'Send the body without Content-Encoding.' });
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    throw tooLarge(maxBytes);
  }
}

/** Ends the reading of a compressed body that is larger than it may be decoded: it unpacks to nothing, or to less than itself. */
function boundEncoded(request: Request, maxBytes: number, refuse: (error: AppError) => void): void {
  if (request.headers['content-encoding'] === undefined) {
    return;
  }
  let bytes = 0;
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxBytes && bytes - piece.length <= maxBytes) {
      request.unpipe();
      refuse(tooLarge(maxBytes));
    }
  });
}

function createParser(limit: number): RequestHandler {
  return express.json({
    limit,
    strict: false,
    verify: (_request, _response, body, charset) => {
      if (body.length === 0) {
        throw fault('entity.empty');
      }
      // The shape is judged by bytes, which other character sets give another meaning.
      if (charset !== 'utf-8' && charset !== 'utf8') {
        throw fault('charset.unsupported');
      }
      if (!isUtf8(body)) {
        throw fault('charset.invalid');
      }
      checkShape(body);
    },
  });
}

function getLength({ headers }: IncomingMessage, maxBytes: number): number {
  const length = Number(headers['content-length'] ?? Number.NaN);
  return headers['content-encoding'] === undefined && length > 0 ? length : maxBytes;
}

/** Returns true for the bodies of nearly all clients. Express' reader would take a tenth of the time of their requests. */
function isPlain({ headers }: IncomingMessage, maxBytes: number): boolean {
  const length = Number(headers['content-length'] ?? Number.NaN);
  return (
    headers['content-type'] === 'application/json' &&
    headers['content-encoding'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    length > 0 &&
    length <= maxBytes
  );
}

/** Parses the bytes of a JSON body. Throws errors that end in `BAD_REQUEST`. */
function parseJson(body: Buffer): unknown {
  checkShape(body);
  let text: string;
  try {
    text = isAscii(body) ? body.toString('latin1') : utf8.decode(body);
  } catch {
    throw fault('charset.invalid');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw fault('entity.parse.failed');
  }
}

function checkShape(body: Buffer): void {
  const publicMessage = findShapeFault(body);
  if (publicMessage !== null) {
    throw new AppError('BAD_REQUEST', { publicMessage });
  }
}

function fault(type: string): Error {
  return Object.assign(new Error(type), { status: 400, type });
}

function cutOff(): Error {
  return Object.assign(new Error('the request was cut off'), { status: 400, type: 'request.aborted' });
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('BAD_REQUEST', { publicMessage: `The body is larger than ${maxBytes / 1024} KiB.` });
}

function tooManyStrangers(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', { publicMessage: BUSY, retryAfterSeconds: 2 });
}

/** Takes a body that is in memory to its end, as it is when it came with its headers; null for any other. */
function takeWholeBody(request: IncomingMessage): Buffer | null {
  return request.complete ? (request.read() as Buffer | null) : null;
}

/**
 * Reads a body whose `Content-Length` is known to be small, which the HTTP parser holds it to. Rejects when the client leaves
 * before its end.
 */
function readSmallBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const onGone = (): void => {
      // Every request is closed in the end.
      if (!request.readableEnded) {
        reject(cutOff());
      }
    };
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [first = Buffer.alloc(0)] = chunks;
      resolve(chunks.length > 1 ? Buffer.concat(chunks) : first);
    });
    request.on('error', onGone);
    request.on('close', onGone);
  });
}
