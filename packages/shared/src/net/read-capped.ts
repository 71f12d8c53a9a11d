import type { Exchange } from './exchange.js';
import { OutboundError } from './outbound-error.js';

/** Lets a caller decide when the rest of a large answer may be taken in. */
export interface LargeAnswers {
  readonly overBytes: number;
  /** Called once, when that much has arrived; nothing more is read until it resolves. */
  readonly admit: () => Promise<void>;
}

/** Reads a whole body; throws OutboundError, `too-large` as soon as it is announced or found to be over `maxBytes`. */
export async function readCapped(
  { status, headers, body }: Exchange,
  maxBytes: number,
  large?: LargeAnswers,
): Promise<Buffer> {
  const tooLarge = (): OutboundError =>
    new OutboundError('too-large', `the answer is over ${maxBytes} bytes`, { sent: true, status });
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  let admitted = large === undefined;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge();
      chunks.push(chunk);
      if (!admitted && length > (large?.overBytes ?? 0)) {
        admitted = true;
        await large?.admit();
      }
    }
  } catch (error) {
    if (!(error instanceof OutboundError) || error.status !== undefined) throw error;
    const { reason, message, sent } = error;
    throw new OutboundError(reason, message, { sent, status, cause: error });
  }
  return Buffer.concat(chunks, length);
}
