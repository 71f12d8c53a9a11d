import net from 'node:net';
import { StackError } from '../stack-error.js';

/** Makes sure that a port can be listened on; throws StackError that names the port and the setting to change. */
export function requirePort(setting: string, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const why: Record<string, string> = {
        EADDRINUSE: 'is in use: stop the program that listens on it',
        EACCES: 'may not be used by this user: start as another one',
        EADDRNOTAVAIL: 'is on an address that this machine does not have: change HOST',
      };
      reject(
        new StackError(
          `Port ${port} of ${host} ${why[code ?? ''] ?? `cannot be used (${message})`}, or set ${setting} to another port.`,
        ),
      );
    });
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve()));
  });
}
