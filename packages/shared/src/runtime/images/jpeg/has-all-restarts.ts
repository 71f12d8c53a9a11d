import { DRI, EOI, listSegments, SOF0, SOF1, SOS } from './jpeg-header.js';

const [RST0, RESTARTS] = [0xd0, 8];
const BLOCK_SIDE = 8;

/**
 * Returns true for a JPEG of one sequential scan whose restart markers are all there, each in its place and before the end. Bytes
 * that are too many before one of them then move no pixel, because every interval begins anew (ITU T.81, E.2.4).
 */
export function hasAllRestarts(bytes: Buffer): boolean {
  let units = 0;
  let interval = 0;
  let components: number | undefined;
  for (const { marker, content, end } of listSegments(bytes)) {
    if (marker === SOF0 || marker === SOF1) {
      units = countUnits(content);
      components = content[5];
    }
    if (marker === DRI && content.length === 2) {
      interval = content.readUInt16BE();
    }
    if (marker === SOS) {
      const expected = interval > 0 ? Math.ceil(units / interval) - 1 : 0;
      return content[0] === components && expected > 0 && countRestarts(bytes, end) === expected;
    }
  }
  return false;
}

/** Counts the units of an interleaved scan from the header of its frame; 0 for a damaged one. */
function countUnits(frame: Buffer): number {
  if (frame.length < 6 || frame.length !== 6 + 3 * (frame[5] ?? 0)) {
    return 0;
  }
  const [height, width] = [frame.readUInt16BE(1), frame.readUInt16BE(3)];
  const samplings = [...frame.subarray(6)].filter((_, at) => at % 3 === 1);
  // A scan of one component has blocks as units, whatever its sampling.
  const isSingle = samplings.length === 1;
  const across = isSingle ? 1 : Math.max(...samplings.map((sampling) => sampling >> 4));
  const down = isSingle ? 1 : Math.max(...samplings.map((sampling) => sampling & 15));
  return Math.ceil(width / (BLOCK_SIDE * across)) * Math.ceil(height / (BLOCK_SIDE * down));
}

/** Counts the restart markers of a scan up to the end of the image. Returns -1 when one is out of order, or another marker comes first. */
function countRestarts(bytes: Buffer, start: number): number {
  let count = 0;
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const marker = bytes[at + 1];
    if (marker === EOI) {
      return count;
    }
    if (marker === RST0 + (count % RESTARTS)) {
      count += 1;
    } else if (marker !== 0 && marker !== 0xff) {
      return -1;
    }
  }
  return -1;
}
