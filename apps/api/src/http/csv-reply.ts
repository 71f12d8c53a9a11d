import { Readable } from 'node:stream';
import type { Reply } from './framework/call.js';

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
