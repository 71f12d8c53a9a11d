import net from 'node:net';
import { StackError } from '../stack-error.js';

const MAX_TRIES = 200;
// From 32,768 on systems give ports to connections that leave, also while a service that has one of them is down.
const FIRST = 20_000;
const COUNT = 12_000;
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: stop the program that listens on it',
  EACCES: 'cannot be used by this user: start as another user',
  EADDRNOTAVAIL: 'is on an address that this machine does not have: change HOST',
};

/** Opens and closes a port (0 for any) and returns it; rejects with the error of the system. */
function tryPort(port: number, host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', reject);
    probe.listen({ port, host, exclusive: true }, () => {
      const used = (probe.address() as net.AddressInfo).port;
      probe.close(() => resolve(used));
    });
  });
}

/** Finds a free port of 127.0.0.1: the wanted one, else the next free one after it. When none is wanted, one that no connection gets. */
export async function findFreePort(wanted = 0, taken: ReadonlySet<number> = new Set()): Promise<number> {
  const first = wanted > 0 ? wanted : FIRST + Math.floor(Math.random() * COUNT);
  for (let port = first; port < Math.min(first + MAX_TRIES, 65_536); port += 1) {
    if (!taken.has(port) && !(await isPortTaken(port))) {
      return port;
    }
  }
  return tryPort(0);
}

/** Returns whether another program listens on a port of 127.0.0.1. */
export async function isPortTaken(port: number): Promise<boolean> {
  return (await tryPort(port).catch(() => null)) === null;
}

/** Checks that a port can be used; throws StackError that names the port and the setting to change. */
export async function requirePort(setting: string, port: number, host: string): Promise<void> {
  try {
    await tryPort(port, host);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const reason = REASONS[code] ?? `cannot be used (${message})`;
    throw new StackError(`Port ${port} of ${host} ${reason}, or set ${setting} to another port.`);
  }
}
