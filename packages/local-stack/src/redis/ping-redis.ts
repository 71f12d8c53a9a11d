import net from 'node:net';

/** Port of a Redis on 127.0.0.1 and its password. */
export interface RedisAddress {
  readonly port: number;
  readonly password: string;
}

/** Returns whether a Redis responds PONG to our password; a server that is still loading its data does not. */
export function pingRedis({ port, password }: RedisAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    let response = '';
    const finish = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(1_000, () => finish(false));
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
    socket.on('connect', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1');
      if (response.includes('+PONG')) {
        finish(true);
      } else if (
        response.includes('-LOADING') ||
        response.includes('-ERR') ||
        response.includes('-WRONGPASS')
      ) {
        finish(false);
      }
    });
  });
}
