import { Readable } from 'node:stream';
import type { Reply } from './framework/call.js';

/** Matches a value that a spreadsheet would take for a formula; negative dollars are none. */
const FORMULA = /^(?=[=+\-@\t\r])(?!-\$\d+\.\d+$)/;

/** Writes a line of a CSV file. A value that a spreadsheet would take for a formula begins with an apostrophe. */
export function formatCsv(values: readonly string[]): string {
  const cells = values.map((value) => `"${value.replace(FORMULA, "'").replaceAll('"', '""')}"`);
  return `${cells.join(',')}\r\n`;
}

/** Sends the lines of a CSV file as they are read. */
export const csvReply = (filename: string, lines: AsyncIterable<string>): Reply => ({
  status: 200,
  headers: {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${filename}"`,
    'Cache-Control': 'no-store',
  },
  stream: Readable.from(lines, { objectMode: true, highWaterMark: 1 }),
});
