import net from 'node:net';
import { readAnswer } from '../read-answer.js';

/** Request whose answer is read at a rate. */
export interface RatedRead {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Infinity reads as fast as bytes come. */
  readonly bytesPerSecond: number;
}

const CHUNK_BYTES = 64 * 1024;
/** Shorter pauses are made up for by the next one. */
const MIN_PAUSE_MS = 5;

/**
 * Posts a request and reads its answer into one buffer at a rate: a client that costs the machine next to nothing. Returns the number
 * of bytes. Throws Error for any status but 200.
 */
export function readAtRate({ url, headers, body, bytesPerSecond }: RatedRead): Promise<number> {
  const { hostname, port, pathname, host } = new URL(url);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${lines.join('')}\r\n`;
  return new Promise((resolve, reject) => {
    let received = 0;
    let missing: number | null = null;
    let from = 0;
    const take = (bytes: Buffer): void => {
      received += bytes.length;
      if (missing !== null) {
        missing -= bytes.length;
        return;
      }
      const answer = readAnswer(bytes);
      if (answer?.status !== 200) {
        throw new Error(`an answer began with ${bytes.toString('latin1', 0, 200)}`);
      }
      from = performance.now();
      missing = answer.missing;
    };
    const onChunk = (length: number, buffer: Uint8Array): boolean => {
      try {
        take(Buffer.from(buffer.buffer, buffer.byteOffset, length));
      } catch (error) {
        reject(error as Error);
        socket.destroy();
        return false;
      }
      if (missing !== null && missing <= 0) {
        resolve(received);
        socket.destroy();
        return false;
      }
      const pauseMs = (received * 1_000) / bytesPerSecond - (performance.now() - from);
      if (pauseMs < MIN_PAUSE_MS) {
        return true;
      }
      setTimeout(() => socket.resume(), pauseMs);
      return false;
    };
    const socket = net.connect({
      host: hostname,
      port: Number(port),
      onread: { buffer: Buffer.allocUnsafe(CHUNK_BYTES), callback: onChunk },
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`an answer broke off after ${received} bytes`)));
    socket.write(head + body);
  });
}
