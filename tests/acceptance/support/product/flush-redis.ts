import net from 'node:net';

/** FLUSHALL, spoken by hand so that no client library with opinions of its own stands between. */
export function flushRedis(redisUrl: string): Promise<void> {
  const { hostname, port, password } = new URL(redisUrl);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port || 6379), hostname, () => {
      socket.write(`${password ? `AUTH ${decodeURIComponent(password)}\r\n` : ''}FLUSHALL\r\nQUIT\r\n`);
    });
    let heard = '';
    socket.on('data', (part) => {
      heard += part.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => (heard.includes('-') ? reject(new Error(heard)) : resolve()));
  });
}
