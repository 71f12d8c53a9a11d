import net from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

/** Writes bytes to a port of this machine as they are, and reads what comes back until the server closes. */
export function rawExchange(port: number, text: string, timeoutMs = 20_000): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text));
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no answer')));
    socket.on('data', (part) => parts.push(part));
    socket.on('error', (error) => {
      if (parts.length === 0) {
        reject(error);
      }
    });
    socket.on('close', () => {
      const [head = '', ...body] = Buffer.concat(parts).toString().split('\r\n\r\n');
      const [line = '', ...fields] = head.split('\r\n');
      const headers = fields.map((field) => [
        (field.split(':')[0] ?? '').toLowerCase(),
        field.replace(/^[^:]*:\s*/, ''),
      ]);
      resolve({
        status: Number(line.split(' ')[1]),
        headers: Object.fromEntries(headers) as Record<string, string>,
        text: body.join('\r\n\r\n'),
      });
    });
  });
}
