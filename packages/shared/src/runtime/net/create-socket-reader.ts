import type { OnReadOpts } from 'node:net';

const FIRST_BYTES = 4 * 1024;

/**
 * Creates the reader of one connection. It reads into memory of its own: little while the head of a response is awaited,
 * `maxBytes` from the first bytes on. Node takes 64 KiB for each read instead, which only a collection of the whole heap frees.
 * That costs more than all the rest of reading. The bytes are valid until `passOn` returns; false stops the reading.
 */
export function createSocketReader(maxBytes: number, passOn: (bytes: Buffer) => boolean): OnReadOpts {
  let memory: Buffer | null = null;
  let hasRead = false;
  return {
    // Called for each address that is tried, and after each read.
    buffer: () => {
      const size = hasRead ? maxBytes : FIRST_BYTES;
      memory = memory?.length === size ? memory : Buffer.allocUnsafeSlow(size);
      return memory;
    },
    callback: (bytes, { buffer, byteOffset }) => {
      hasRead = true;
      return passOn(Buffer.from(buffer, byteOffset, bytes));
    },
  };
}
