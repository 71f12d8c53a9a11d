import type { Exchange } from './exchange.js';

/** Reads the start of a body that nobody needs: keeps `keepBytes`, gives up at `maxBytes` or at any fault; never throws. */
export async function readStart(
  { body }: Exchange,
  { keepBytes, maxBytes }: { readonly keepBytes: number; readonly maxBytes: number },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      if (length < keepBytes) chunks.push(chunk.subarray(0, keepBytes - length));
      length += chunk.length;
      if (length >= maxBytes) break;
    }
  } catch {
    // The status is known by now, and it alone decides; what came of the body is all there is.
    return Buffer.concat(chunks);
  }
  return Buffer.concat(chunks);
}
