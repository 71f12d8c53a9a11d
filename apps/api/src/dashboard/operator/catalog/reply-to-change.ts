import { type Envelope, failure } from '@image-gateway/shared/contract';
import type { Reply } from '../../../http/framework/call.js';
import { VersionConflict } from '../../../operations/catalog/version-conflict.js';
import { dataReply } from '../../data-reply.js';

const CONFLICT = 409;

/** Replies with the new version; with 409 when another one came in between. */
export async function replyToChange(
  change: Promise<number>,
): Promise<Reply<Envelope<{ readonly version: number }>>> {
  try {
    return dataReply({ version: await change });
  } catch (error) {
    if (error instanceof VersionConflict) {
      return { status: CONFLICT, json: failure(error.code, error.publicMessage) };
    }
    throw error;
  }
}
