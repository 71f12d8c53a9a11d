import type { IncomingMessage } from 'node:http';

/** Reads a body whose `Content-Length` is known to be small, which the HTTP parser holds it to; an error when the client leaves before its end. */
export function readSmallBody(
  request: IncomingMessage,
  done: (error: Error | null, body: Buffer) => void,
): void {
  const chunks: Buffer[] = [];
  let isDone = false;
  const finish = (error: Error | null): void => {
    if (isDone) return;
    isDone = true;
    const [first = Buffer.alloc(0)] = chunks;
    done(error, chunks.length > 1 ? Buffer.concat(chunks) : first);
  };
  const onGone = (): void =>
    finish(Object.assign(new Error('the request was cut off'), { status: 400, type: 'request.aborted' }));
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => finish(null));
  request.on('error', onGone);
  request.on('close', onGone);
}
