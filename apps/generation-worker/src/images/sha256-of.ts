import { hash, webcrypto } from 'node:crypto';

/** Bytes that are done with sooner than they are handed to another thread and back. */
const AT_ONCE_BYTES = 64 * 1024;

/** SHA-256 of some bytes in hexadecimal; of many bytes on a thread of its own, since the event loop has no time for megabytes. */
export async function sha256Of(bytes: Buffer): Promise<string> {
  if (bytes.length <= AT_ONCE_BYTES) return hash('sha256', bytes);
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}
