import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Reply } from './call.js';
import { createChunkSender } from './create-chunk-sender.js';
import { endEarly, isBodyMissing } from './end-early.js';
import { waitForRoom } from './wait-for-room.js';

/**
 * Size of the chunks of a large payload, in bytes. Chunks keep unread bytes out of the kernel, and make the rate of a slow
 * reader measurable.
 */
const CHUNK_BYTES = 64 * 1024;

/** Payloads up to that size wait for nothing: sixteen of them are all that a connection holds. */
const SMALL_BYTES = 4 * 1024;

const MAX_LISTENERS = 20;

/** Writes a reply to the connection and resolves when it has been handed over; a stream that breaks cuts the connection. */
export async function sendReply(reply: Reply, response: ServerResponse, headOnly: boolean): Promise<void> {
  if (response.headersSent || response.destroyed) {
    reply.stream?.destroy();
    reply.onEnd?.(false);
    return;
  }
  if (reply.onEnd) {
    observeEnd(response, reply.onEnd);
  }
  response.statusCode = reply.status;
  for (const name in reply.headers) {
    const value = reply.headers[name];
    if (value !== undefined) {
      response.setHeader(name, typeof value === 'string' ? value : [...value]);
    }
  }
  if (reply.stream) {
    if (!headOnly) {
      return pipeline(reply.stream, reply.ownsChunks ? createChunkSender(response) : response);
    }
    reply.stream.destroy();
    response.end();
    return;
  }
  const payload = serializePayload(reply, response);
  if (payload === undefined) {
    response.end();
    return;
  }
  // Node sends a text together with the headers in one packet, unlike bytes.
  const length = Buffer.byteLength(payload);
  response.setHeader('Content-Length', length);
  if (headOnly) {
    response.end();
  } else if (isBodyMissing(response.req)) {
    await endEarly(response, payload);
  } else if (length <= SMALL_BYTES) {
    response.end(payload);
  } else {
    await sendLarge(response, payload, length);
  }
}

/** Sends a payload when its turn has come. Of bytes that others share it holds no more than a chunk, since they are never copied. */
async function sendLarge(response: ServerResponse, payload: string | Buffer, length: number): Promise<void> {
  const isShared = Buffer.isBuffer(payload);
  // Each layer listens once, and the pipeline several times.
  response.setMaxListeners(MAX_LISTENERS);
  if (!(await waitForRoom(response, isShared ? Math.min(length, CHUNK_BYTES) : length))) {
    return;
  }
  if (length <= CHUNK_BYTES) {
    response.end(payload);
    return;
  }
  const bytes = isShared ? payload : Buffer.from(payload);
  await pipeline(Readable.from(splitIntoChunks(bytes), { objectMode: false }), response);
}

/** A response whose connection broke is closed without having finished. */
function observeEnd(response: ServerResponse, onEnd: (isDelivered: boolean) => void): void {
  let isDelivered = false;
  // Each layer listens once, and the pipeline of a stream several times.
  response.setMaxListeners(MAX_LISTENERS);
  response.once('finish', () => {
    isDelivered = true;
  });
  response.once('close', () => onEnd(isDelivered));
}

function* splitIntoChunks(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield bytes.subarray(at, at + CHUNK_BYTES);
  }
}

function serializePayload(reply: Reply, response: ServerResponse): string | Buffer | undefined {
  if (reply.text !== undefined) {
    return reply.text;
  }
  if (reply.json === undefined) {
    return undefined;
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  return JSON.stringify(reply.json);
}
