import { Readable } from 'node:stream';
import type { Reply } from './framework/call.js';

/** Content of a file that is sent as it is read. */
interface FileContent {
  readonly contentType: string;
  readonly stream: Readable;
}

/** Sends a file, which browsers save under its name where it has one. */
export function fileReply({ contentType, stream }: FileContent, filename?: string): Reply {
  return {
    status: 200,
    headers: {
      'Content-Type': contentType,
      ...(filename !== undefined && { 'Content-Disposition': `attachment; filename="${filename}"` }),
      'Cache-Control': 'no-store',
    },
    stream,
  };
}

/** Sends the parts of a CSV file as they are read. The first one is read before the response begins, so that its error has a status. */
export async function csvReply(filename: string, parts: AsyncGenerator<string, void>): Promise<Reply> {
  const first = await parts.next();
  async function* send(): AsyncGenerator<string, void> {
    if (!first.done) {
      yield first.value;
      yield* parts;
    }
  }
  const stream = Readable.from(send(), { objectMode: true, highWaterMark: 1 });
  return fileReply({ contentType: 'text/csv; charset=utf-8', stream }, filename);
}
