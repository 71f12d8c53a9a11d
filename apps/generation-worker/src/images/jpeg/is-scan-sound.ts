import { createBreather } from './create-breather.js';
import type { Block, Scan } from './read-scan.js';
import { isRestart, type Piece, splitScan } from './split-scan.js';

// Shorter than anything that waits for this thread would notice.
const SLICE_MS = 5;
const UNITS_BETWEEN_BREATHS = 64;
const COEFFICIENTS = 64;
const LARGEST_DC = 11;
const ZERO_RUN = 0xf0;
/** Some encoders leave bytes between the last unit and the marker behind it. */
const MOST_LEFT_OVER = 1_024;

/**
 * Walks through the codes of a scan without working out any pixel: whether every code exists, no block has more than its
 * 64 coefficients, and the data is neither too short for the picture nor much too long. Other work on this thread gets its
 * turn every few milliseconds.
 */
export async function isScanSound(bytes: Buffer, scan: Scan): Promise<boolean> {
  let unitsLeft = scan.units;
  let restarts = 0;
  const breathe = createBreather(SLICE_MS);
  for await (const piece of splitScan(bytes, scan.start, breathe)) {
    const units = scan.restartInterval === 0 ? unitsLeft : Math.min(scan.restartInterval, unitsLeft);
    let bit = 0;
    for (let unit = 0; unit < units; unit += 1) {
      for (const block of scan.blocks) bit = bit < 0 ? bit : walkBlock(piece.data, bit, block);
      if (bit < 0 || bit > 8 * piece.length) return false;
      if (unit % UNITS_BETWEEN_BREATHS === 0) await breathe();
    }
    if (!isPadding(piece, Math.ceil(bit / 8))) return false;
    unitsLeft -= units;
    if (unitsLeft === 0) return true;
    if (!isRestart(piece.marker) || (piece.marker & 7) !== (restarts & 7)) return false;
    restarts += 1;
  }
  return false;
}

/** Where the next block begins, in bits; -1 when this one is none. */
function walkBlock(data: Buffer, start: number, { dc, ac }: Block): number {
  const first = dc[peek(data, start)] ?? 0;
  if (first === 0 || (first & 0xff) > LARGEST_DC) return -1;
  let bit = start + (first >>> 8) + (first & 0xff);
  let coefficient = 1;
  while (coefficient < COEFFICIENTS) {
    const entry = ac[peek(data, bit)] ?? 0;
    if (entry === 0) return -1;
    const symbol = entry & 0xff;
    const size = symbol & 15;
    bit += (entry >>> 8) + size;
    if (size === 0 && symbol !== ZERO_RUN) return bit;
    coefficient += (symbol >>> 4) + 1;
  }
  return coefficient === COEFFICIENTS ? bit : -1;
}

/** The 16 bits from a place on. */
function peek(data: Buffer, bit: number): number {
  const at = bit >>> 3;
  const window = ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
  return (window >>> (8 - (bit & 7))) & 0xffff;
}

function isPadding({ data, length }: Piece, from: number): boolean {
  if (length - from <= MOST_LEFT_OVER) return true;
  return data.subarray(from + 1, length).equals(data.subarray(from, length - 1));
}
