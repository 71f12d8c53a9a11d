import type { ResponseBody } from '../port.js';

/** Opens a place for a response that is small, or whose reader has room for every one. */
export function collectInMemory(): ResponseBody {
  const chunks: Buffer[] = [];
  return {
    write: (chunk) => {
      chunks.push(chunk);
      return Promise.resolve();
    },
    load: () => Promise.resolve(Buffer.concat(chunks)),
    close: () => Promise.resolve(),
  };
}
