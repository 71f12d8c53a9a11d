import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { StorageError } from './storage-error.js';
import { toStorageError } from './to-storage-error.js';

/**
 * Passes a body on and ends it with a StorageError when the server cuts it or sends nothing for `timeoutMs`, counted
 * only while the reader waits for bytes. Destroying the result ends the connection.
 */
export function watchBody(
  source: IncomingMessage,
  { what, timeoutMs }: { what: string; timeoutMs: number },
): Readable {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  const expectBytes = () => {
    stop();
    timer = setTimeout(() => {
      body.destroy(new StorageError({ fault: 'timeout', message: `${what}: no bytes for ${timeoutMs} ms` }));
    }, timeoutMs);
  };

  const body = new Readable({
    read() {
      expectBytes();
      source.resume();
    },
    destroy(error, done) {
      stop();
      source.destroy();
      done(error);
    },
  });
  // Whoever reads the body learns of its error however late; before that it must not end the process.
  body.on('error', stop);
  source.pause();
  source.on('data', (chunk: Buffer) => {
    stop();
    if (body.push(chunk)) expectBytes();
    else source.pause();
  });
  source.on('end', () => {
    stop();
    body.push(null);
  });
  source.on('error', (error) =>
    body.destroy(toStorageError(error, { what, status: source.statusCode, sent: true })),
  );
  return body;
}
