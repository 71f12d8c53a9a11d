const COMPRESSED = new Set(['iCCP', 'zTXt', 'iTXt']);
const SIGNATURE_BYTES = 8;
/** Length, type and CRC around the data of a chunk. */
const FRAME_BYTES = 12;

/**
 * Returns a PNG without its compressed texts and colour profile. A decoder inflates them in memory, 1 KB to as much as 1 MB,
 * and no pixel depends on the texts.
 */
export function dropCompressedMetadata(bytes: Buffer): Buffer {
  const kept = [bytes.subarray(0, SIGNATURE_BYTES)];
  for (let at = SIGNATURE_BYTES; at < bytes.length; ) {
    const end =
      at + SIGNATURE_BYTES <= bytes.length ? at + FRAME_BYTES + bytes.readUInt32BE(at) : bytes.length;
    if (!isCompressedMetadata(bytes.toString('latin1', at + 4, at + 8))) {
      kept.push(bytes.subarray(at, end));
    }
    at = end;
  }
  return Buffer.concat(kept);
}

/** Returns whether a chunk of this type holds compressed metadata (ISO/IEC 15948, 11.3.2 and 11.3.3). */
export function isCompressedMetadata(type: string): boolean {
  return COMPRESSED.has(type);
}
