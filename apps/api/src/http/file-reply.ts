import { Readable } from 'node:stream';
import type { Reply } from './framework/call.js';

/** Sends the parts of a CSV file as they are read. The first one is read before the response begins, so that its error has a status. */
export async function csvReply(filename: string, parts: AsyncGenerator<string, void>): Promise<Reply> {
  const first = await parts.next();
  async function* send(): AsyncGenerator<string, void> {
    if (!first.done) {
      yield first.value;
      yield* parts;
    }
  }
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${filename}"`,
      'Cache-Control': 'no-store',
    },
    stream: Readable.from(send(), { objectMode: true, highWaterMark: 1 }),
  };
}
