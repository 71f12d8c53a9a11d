import type { Logger } from '@image-gateway/shared/logging';
import type { Spool, SpoolFile } from '@image-gateway/shared/spool';
import { MAX_RESPONSE_BYTES } from '../providers/http/create-upstream.js';
import type { BodyDecoder, ResponseBody } from '../providers/port.js';
import type { CallMemory } from './create-call-memory.js';

/** Dependencies of a response body. */
export interface BodyDeps {
  readonly spool: Spool;
  readonly logger: Pick<Logger, 'warn'>;
  readonly decoder: BodyDecoder;
  readonly memory: Pick<CallMemory, 'allocate' | 'free'>;
  /** Takes that many bytes of memory, instead of those held before, if they are free in that time. */
  readonly tryAdmit: (bytes: number, waitMs: number) => Promise<boolean>;
  /** Waits for that many bytes of memory. Rejects when the call has ended. */
  readonly admit: (bytes: number) => Promise<void>;
}

/** Largest response that takes neither memory permits nor disk, so that polls and errors wait for nothing. */
export const SMALL_BYTES = 64 * 1024;
/** Bytes that a connection holds before it writes them to the spool. */
const HELD_BYTES = 32 * 1024;
/** Memory for the images of a response that does not say its length; more than nearly all images of 1k have. */
const USUAL_BYTES = 2 * 1024 * 1024;
/** Wait of a connection for memory, before its response goes to disk. It is shorter than any time limit of a sender. */
const ROOM_WAIT_MS = 2_000;
/** Bytes that are read from the spool at a time. */
const PIECE_BYTES = 128 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Creates the body of one response. A small one waits in memory until it is whole. A larger one is decoded as it arrives when there is
 * memory for it soon. Otherwise it goes to a file of the spool, and is decoded when there is memory. When the spool cannot
 * be written, the connection waits for memory for the largest response.
 */
export function createResponseBody(deps: BodyDeps): ResponseBody {
  const { spool, memory, admit, tryAdmit, decoder, logger } = deps;
  let state: 'small' | 'memory' | 'spool' = 'small';
  let announced: number | null = null;
  let received = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let file: SpoolFile | null = null;
  let room: Buffer = NOTHING;
  /** Decoded bytes at the start of the file. */
  let parkedBytes = 0;

  /** Decodes into this memory from now on; what was decoded before has been copied. */
  const moveTo = (next: Buffer): void => {
    decoder.replace(next);
    memory.free(room);
    room = next;
  };
  const take = (bytes: number): void => {
    const next = memory.allocate(bytes);
    decoder.bytes().copy(next);
    moveTo(next);
  };
  const decodeHeld = (): void => {
    for (const chunk of held) {
      decoder.write(chunk);
    }
    held = [];
    heldBytes = 0;
  };
  const append = async (chunks: readonly Buffer[]): Promise<boolean> => {
    try {
      file ??= await spool.open();
      return await file.append(chunks);
    } catch (error) {
      logger.warn('the spool cannot be written', { error });
      return false;
    }
  };
  const closeFile = async (): Promise<void> => {
    const old = file;
    file = null;
    await old?.close();
  };
  /** Decodes what is on disk, and then what is held, into memory of that size. */
  const readBack = async (bytes: number): Promise<void> => {
    const next = memory.allocate(bytes);
    const size = file?.size() ?? 0;
    await file?.read(next.subarray(0, parkedBytes), 0);
    moveTo(next);
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    for (let at = parkedBytes; at < size; at += PIECE_BYTES) {
      const part = piece.subarray(0, Math.min(PIECE_BYTES, size - at));
      await file?.read(part, at);
      decoder.write(part);
    }
    await closeFile();
    state = 'memory';
    decodeHeld();
  };
  const flush = async (): Promise<void> => {
    if (await append(held)) {
      held = [];
      heldBytes = 0;
      return;
    }
    await admit(MAX_RESPONSE_BYTES);
    await readBack(MAX_RESPONSE_BYTES);
  };
  const begin = async (): Promise<void> => {
    const usual = announced === null ? USUAL_BYTES : decoder.measureRoom(announced);
    const bytes = Math.max(usual, decoder.measureRoom(received));
    if (await tryAdmit(bytes, ROOM_WAIT_MS)) {
      state = 'memory';
      take(bytes);
      decodeHeld();
    } else {
      state = 'spool';
      await flush();
    }
  };
  /** Takes twice as much memory. Without it the decoded bytes are parked on disk, so that nobody waits while holding some. */
  const growOrPark = async (): Promise<void> => {
    const bytes = Math.min(Math.max(2 * room.length, decoder.measureRoom(received)), MAX_RESPONSE_BYTES);
    if (await tryAdmit(bytes, 0)) {
      take(bytes);
      decodeHeld();
      return;
    }
    const decoded = decoder.bytes();
    if (!(await append([decoded]))) {
      await admit(MAX_RESPONSE_BYTES);
      take(MAX_RESPONSE_BYTES);
      decodeHeld();
      return;
    }
    parkedBytes = decoded.length;
    moveTo(NOTHING);
    state = 'spool';
  };
  return {
    expect: (bytes) => {
      announced = bytes;
    },
    write: async (chunk) => {
      received += chunk.length;
      if (state === 'memory' && decoder.measureRoom(received) <= room.length) {
        decoder.write(chunk);
        return;
      }
      held.push(chunk);
      heldBytes += chunk.length;
      if (state === 'memory') {
        await growOrPark();
      } else if (state === 'small' && received > SMALL_BYTES) {
        await begin();
      } else if (state === 'spool' && heldBytes >= HELD_BYTES) {
        await flush();
      }
    },
    finish: async () => {
      if (state === 'small') {
        take(decoder.measureRoom(received));
        decodeHeld();
        return;
      }
      if (state === 'spool' && heldBytes > 0) {
        await flush();
      }
      if (state === 'spool') {
        const letters = (file?.size() ?? 0) - parkedBytes;
        // The start of a string that becomes an image is text until then, and is not among the parked bytes.
        const bytes = parkedBytes + decoder.measureRoom(letters) + (parkedBytes > 0 ? 2 * SMALL_BYTES : 0);
        await admit(bytes);
        await readBack(bytes);
      }
    },
    close: closeFile,
  };
}
