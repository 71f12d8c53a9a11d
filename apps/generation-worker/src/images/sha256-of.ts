import { webcrypto } from 'node:crypto';

/** SHA-256 of some bytes in hexadecimal; worked out on a thread of its own, since the event loop has no time for megabytes. */
export async function sha256Of(bytes: Buffer): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}
