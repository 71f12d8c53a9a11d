import type { Exchange } from './exchange.js';
import { OutboundError } from './outbound-error.js';

/** Reads a whole body; throws OutboundError `too-large` as soon as it is announced or found to be over `maxBytes`. */
export async function readCapped({ headers, body }: Exchange, maxBytes: number): Promise<Buffer> {
  const tooLarge = (): OutboundError =>
    new OutboundError('too-large', `the answer is over ${maxBytes} bytes`, { sent: true });
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
