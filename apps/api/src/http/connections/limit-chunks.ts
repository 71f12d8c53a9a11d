import type { IncomingMessage, ServerResponse } from 'node:http';

/** Chunks of a body that may be smaller. */
const FREE_CHUNKS = 1_000;
/** Least bytes of a chunk on the average. */
const MIN_AVERAGE = 64;

/**
 * Counts the chunks of a body as they are on the wire. Calls `refuse` for a body that has many and small ones, since each costs as much as
 * a large one. Calls it for a body that goes on after its response, too. Pieces that one read of the socket brings are so many
 * chunks. Those of a large chunk come with a read each, so that a slow line counts for nothing.
 */
export function limitChunks(request: IncomingMessage, response: ServerResponse, refuse: () => void): void {
  if (!isChunked(request)) {
    return;
  }
  const { socket, push } = request;
  let readBytes = -1;
  let chunks = 0;
  let bytes = 0;
  let isOver = false;
  const end = (): void => {
    if (!isOver && !request.complete) {
      isOver = true;
      refuse();
    }
  };
  // From then on they would not be counted.
  response.once('finish', end);
  // Every piece passes here, also of a body without a reader.
  request.push = (piece: Buffer | null, encoding) => {
    if (isOver) {
      return true;
    }
    if (piece !== null) {
      bytes += piece.length;
      if (socket.bytesRead === readBytes) {
        chunks++;
      }
      readBytes = socket.bytesRead;
      if (chunks > FREE_CHUNKS && bytes < chunks * MIN_AVERAGE) {
        end();
        return true;
      }
    }
    return push.call(request, piece, encoding);
  };
}

/** Reads the headers as they came: the object of them is made for requests that begin. */
function isChunked({ rawHeaders }: IncomingMessage): boolean {
  for (let n = 0; n < rawHeaders.length; n += 2) {
    if (/^transfer-encoding$/i.test(rawHeaders[n] ?? '')) {
      return true;
    }
  }
  return false;
}
