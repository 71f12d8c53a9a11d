import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';

/**
 * Gives the memory of a chunk of an object back at once; the chunk is empty from then on. For its only reader, when nothing reads it
 * any more, the system included. V8 frees bytes outside of the heap by collecting the whole heap, once for each 64 MB that pass.
 * A view of memory that others may use is left as it is.
 */
export function freeChunk({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) {
    buffer.transfer(0);
  }
}

/**
 * Creates a writer that sends chunks as the body of a response, and frees each when it has been sent. It is destroyed when the response
 * closes.
 */
export function createChunkSender(response: ServerResponse): Writable {
  const leave = (): void => void sender.destroy();
  const sender = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      response.write(chunk, (error) => {
        if (error) {
          leave();
          return;
        }
        // The system has all of it now.
        freeChunk(chunk);
        done();
      });
    },
    final: (done) => {
      response.end(done);
    },
    destroy: (error, done) => {
      if (error) {
        response.destroy(error);
      }
      done(error);
    },
  });
  response.on('error', leave);
  response.once('close', leave);
  return sender;
}
