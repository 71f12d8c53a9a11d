import { type HuffmanTable, huffmanTable } from './huffman-table.js';
import { segmentsOf } from './segments-of.js';

/** One block of a scan's repeating unit. */
export interface Block {
  readonly dc: HuffmanTable;
  readonly ac: HuffmanTable;
}

/** The only scan of a sequential JPEG, ready to be walked through. */
export interface Scan {
  /** The blocks of one unit (MCU), in the order of their data. */
  readonly blocks: readonly Block[];
  readonly units: number;
  /** Units between two restart markers; 0 when there are none. */
  readonly restartInterval: number;
  /** Where its data begins. */
  readonly start: number;
}

interface Component {
  readonly id: number;
  readonly h: number;
  readonly v: number;
}

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly components: readonly Component[];
}

const [SOF0, SOF1, DHT, SOS, DRI] = [0xc0, 0xc1, 0xc4, 0xda, 0xdd];

/**
 * Reads the header of a JPEG (ITU T.81, annex B) up to its first scan. Gives null for all but the common kind: eight bits,
 * sequential, Huffman codes of its own, all components in one scan.
 */
export function readScan(bytes: Buffer): Scan | null {
  const tables = new Map<number, HuffmanTable>();
  let frame: Frame | null = null;
  let restartInterval = 0;
  for (const { marker, content, end } of segmentsOf(bytes)) {
    if (marker === SOF0 || marker === SOF1) frame = readFrame(content);
    else if (marker === DHT) readTables(content, tables);
    else if (marker === DRI) restartInterval = content.length >= 2 ? content.readUInt16BE(0) : 0;
    else if (marker === SOS) return frame && scanOf(frame, content, tables, restartInterval, end);
  }
  return null;
}

function readFrame(segment: Buffer): Frame | null {
  if (segment.length < 6 || segment[0] !== 8) return null;
  const [height, width, count] = [segment.readUInt16BE(1), segment.readUInt16BE(3), segment[5] ?? 0];
  if (segment.length < 6 + 3 * count || width === 0 || height === 0) return null;
  const components = Array.from({ length: count }, (_, i) => {
    const [id = 0, sampling = 0] = segment.subarray(6 + 3 * i);
    return { id, h: sampling >> 4, v: sampling & 15 };
  });
  return components.every(({ h, v }) => h >= 1 && h <= 4 && v >= 1 && v <= 4)
    ? { width, height, components }
    : null;
}

function readTables(segment: Buffer, tables: Map<number, HuffmanTable>): void {
  for (let at = 0; at + 17 <= segment.length; ) {
    const counts = segment.subarray(at + 1, at + 17);
    const total = counts.reduce((sum, count) => sum + count, 0);
    tables.set(segment[at] ?? 0, huffmanTable(counts, segment.subarray(at + 17, at + 17 + total)));
    at += 17 + total;
  }
}

function scanOf(
  { width, height, components }: Frame,
  segment: Buffer,
  tables: ReadonlyMap<number, HuffmanTable>,
  restartInterval: number,
  start: number,
): Scan | null {
  if (segment[0] !== components.length || segment.length < 1 + 2 * components.length) return null;
  const blocks: Block[] = [];
  for (const [i, { id, h, v }] of components.entries()) {
    const [selector, ids = 0] = segment.subarray(1 + 2 * i);
    const [dc, ac] = [tables.get(ids >> 4), tables.get(0x10 | (ids & 15))];
    if (selector !== id || !dc || !ac) return null;
    const count = components.length === 1 ? 1 : h * v;
    for (let block = 0; block < count; block += 1) blocks.push({ dc, ac });
  }
  // A component alone has units of one block, whatever its sampling says.
  const across = components.length === 1 ? 1 : Math.max(...components.map(({ h }) => h));
  const down = components.length === 1 ? 1 : Math.max(...components.map(({ v }) => v));
  const units = Math.ceil(width / (8 * across)) * Math.ceil(height / (8 * down));
  return { blocks, units, restartInterval, start };
}
