import type { Logger } from '@image-gateway/shared/logging';
import { MAX_RESPONSE_BYTES } from '../providers/http/create-upstream.js';
import type { ResponseBody } from '../providers/port.js';
import type { Spool, SpoolFile } from './create-spool.js';

/** Dependencies of a response body. */
export interface BodyDeps {
  readonly spool: Spool;
  readonly logger: Pick<Logger, 'warn'>;
  /** Waits for that many bytes of memory. Rejects when the call has ended. */
  readonly admit: (bytes: number) => Promise<void>;
}

/** Largest response that takes neither memory permits nor disk, so that polls and errors wait for nothing. */
export const SMALL_BYTES = 256 * 1024;

/**
 * Creates the body of one response: in memory while it is small, then in a file of the spool. When the spool cannot be written,
 * the connection waits for memory for the largest response, and the rest is read into it.
 */
export function createResponseBody({ spool, admit, logger }: BodyDeps): ResponseBody {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let file: SpoolFile | null = null;
  let isAdmitted = false;

  const spill = async (): Promise<boolean> => {
    try {
      file ??= await spool.open();
      return await file.append(Buffer.concat(held));
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
  const toMemory = async (): Promise<void> => {
    // Its pieces and the whole body for a moment, then the body and its images.
    await admit(2 * MAX_RESPONSE_BYTES);
    isAdmitted = true;
    if (file) {
      held.unshift(await file.read());
    }
    await closeFile();
  };
  const flush = async (): Promise<void> => {
    if (!(await spill())) {
      return toMemory();
    }
    held = [];
    heldBytes = 0;
  };
  return {
    write: async (chunk) => {
      held.push(chunk);
      heldBytes += chunk.length;
      if (!isAdmitted && heldBytes > SMALL_BYTES) {
        await flush();
      }
    },
    load: async (copies) => {
      if (file !== null && heldBytes > 0) {
        await flush();
      }
      if (file === null) {
        return Buffer.concat(held);
      }
      await admit(copies * file.size());
      const bytes = await file.read();
      await closeFile();
      return bytes;
    },
    close: closeFile,
  };
}
