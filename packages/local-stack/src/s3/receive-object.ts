import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import S3Error from 's3rver/lib/models/error.js';
import { encodeHead, type ObjectHead } from './object-file.js';

/** What the request promised of its body; each is checked where it is given. */
export interface Promised {
  readonly bytes?: number;
  /** Hexadecimal. */
  readonly sha256?: string;
  /** Base64. */
  readonly md5?: string;
}

export interface Received {
  /** A file outside the buckets. */
  readonly path: string;
  readonly head: ObjectHead;
}

/**
 * Writes a body to a file of its own, with everything that makes it a complete object, and flushes it when `durable`.
 * A body that is cut or is not what was promised leaves nothing behind.
 */
export async function receiveObject(
  content: AsyncIterable<Buffer>,
  options: { folder: string; headers: Record<string, string>; promised: Promised; durable: boolean },
): Promise<Received> {
  const { folder, headers, promised, durable } = options;
  const temporary = path.join(folder, randomUUID());
  const file = await open(temporary, 'wx', 0o600);
  try {
    const md5 = createHash('md5');
    const sha256 = createHash('sha256');
    let bytes = 0;
    for await (const chunk of content) {
      md5.update(chunk);
      if (promised.sha256 !== undefined) sha256.update(chunk);
      bytes += chunk.length;
      await file.writev([chunk]);
    }
    const digest = md5.digest();
    if (promised.bytes !== undefined && promised.bytes !== bytes) {
      throw new S3Error('IncompleteBody', 'The body is shorter or longer than was said.');
    }
    if (promised.md5 !== undefined && promised.md5 !== digest.toString('base64')) {
      throw new S3Error('BadDigest', 'The body does not match its Content-MD5.');
    }
    if (promised.sha256 !== undefined && promised.sha256.toLowerCase() !== sha256.digest('hex')) {
      throw new S3Error('BadDigest', 'The body does not match its x-amz-content-sha256.');
    }
    const head: ObjectHead = { bytes, md5: digest.toString('hex'), headers };
    await file.writev([encodeHead(head)]);
    if (durable) await file.datasync();
    await file.close();
    return { path: temporary, head };
  } catch (error) {
    await file.close();
    await rm(temporary, { force: true });
    throw error;
  }
}
