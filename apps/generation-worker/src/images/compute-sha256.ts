import { hash, webcrypto } from 'node:crypto';

/** Bytes that are done with sooner than they are handed to another thread and back. */
const SYNC_BYTES = 64 * 1024;

/** SHA-256 of some bytes in hexadecimal; of many bytes on a thread of its own, since the event loop has no time for megabytes. */
export async function computeSha256(bytes: Buffer): Promise<string> {
  if (bytes.length <= SYNC_BYTES) return hash('sha256', bytes);
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}
