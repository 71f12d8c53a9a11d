const COMPRESSED = new Set(['iCCP', 'zTXt', 'iTXt']);
const PLAIN_TEXT = 'tEXt';
/** More than any title or comment has; a decoder passes so much over without noticing. */
const MAX_TEXT_BYTES = 32 * 1024;
const SIGNATURE_BYTES = 8;
/** Length, type and CRC around the data of a chunk. */
const FRAME_BYTES = 12;

/**
 * Returns a PNG without its compressed texts and colour profile. A decoder inflates them in memory, 1 KB to as much as 1 MB,
 * and no pixel depends on the texts.
 */
export function dropCompressedMetadata(bytes: Buffer): Buffer {
  return dropChunks(bytes, isCompressedMetadata);
}

/** Returns a PNG without its plain texts if these are long. A decoder keeps several copies of them, and no pixel depends on one. */
export function dropLongTexts(bytes: Buffer): Buffer {
  let textBytes = 0;
  for (const { type, start, end } of listChunks(bytes)) {
    textBytes += type === PLAIN_TEXT ? end - start : 0;
  }
  return textBytes > MAX_TEXT_BYTES ? dropChunks(bytes, (type) => type === PLAIN_TEXT) : bytes;
}

function dropChunks(bytes: Buffer, isDropped: (type: string) => boolean): Buffer {
  const kept = [...listChunks(bytes)].filter(({ type }) => !isDropped(type));
  return Buffer.concat([
    bytes.subarray(0, SIGNATURE_BYTES),
    ...kept.map(({ start, end }) => bytes.subarray(start, end)),
  ]);
}

/** Lists the chunks of a PNG; the last one of a cut file is what there is of it. */
function* listChunks(bytes: Buffer): Generator<{ type: string; start: number; end: number }, void> {
  for (let start = SIGNATURE_BYTES; start < bytes.length; ) {
    const end =
      start + SIGNATURE_BYTES <= bytes.length
        ? start + FRAME_BYTES + bytes.readUInt32BE(start)
        : bytes.length;
    yield { type: bytes.toString('latin1', start + 4, start + 8), start, end };
    start = end;
  }
}

/** Returns whether a chunk of this type holds compressed metadata (ISO/IEC 15948, 11.3.2 and 11.3.3). */
export function isCompressedMetadata(type: string): boolean {
  return COMPRESSED.has(type);
}
