import net from 'node:net';

const TIMEOUT_MS = 5_000;

/** Sends one command to Redis over a connection of its own and gives the raw answer; rejects with what Redis says against it. */
export function redisCommand(url: string, command: readonly string[]): Promise<string> {
  const { hostname, port, password } = new URL(url);
  const encode = (words: readonly string[]): string =>
    `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname, () => {
      const auth = password ? encode(['AUTH', decodeURIComponent(password)]) : '';
      socket.write(auth + encode(command) + encode(['QUIT']));
    });
    let heard = '';
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('Redis does not answer')));
    socket.on('data', (part) => (heard += part.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      const answer = heard.replace(/^\+OK\r\n/, '').replace(/\+OK\r\n$/, '');
      if (answer.startsWith('-')) {
        reject(new Error(answer.trim()));
      } else {
        resolve(answer);
      }
    });
  });
}
