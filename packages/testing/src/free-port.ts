import net from 'node:net';

// The system hands out ports from 32,768 on by itself: to listeners that ask for any, and to every connection that leaves.
const FIRST = 20_000;
const COUNT = 12_000;

const given = new Set<number>();

/**
 * Returns a TCP port of 127.0.0.1 that is free at present. No connection takes it before its process listens, and no second call in
 * this process gets it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (given.has(port)) {
      continue;
    }
    // At once, since another call may choose the same one while this one is tried.
    given.add(port);
    if (await isFree(port)) {
      return port;
    }
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
