import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { decodeImage } from './decode-image.js';
import { type DecoderRequest, type DecoderResponse, EXIT_REFUSED, READY_LINE } from './decoder-protocol.js';

const WATCH_MS = 5;
const NEWLINE = Buffer.from('\n');

// The worker ends this process. A signal to the whole process group must not look like a crash caused by the image.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => undefined);
}
sharp.concurrency(1);
sharp.cache(false);
const order = JSON.parse(process.argv[2] ?? '') as DecoderRequest;
process.stdout.write(READY_LINE);
const input = await buffer(process.stdin);
// The worker died while it was writing.
if (input.length !== order.inputBytes) {
  process.exit(0);
}

// macOS does not enforce the limit that the shell sets. SIGKILL, because an exit would wait for the decoder.
const maxRss = process.memoryUsage.rss() + order.maxGrowthBytes;
setInterval(() => {
  if (process.memoryUsage.rss() > maxRss) {
    process.kill(process.pid, 'SIGKILL');
  }
}, WATCH_MS).unref();

try {
  const image = await decodeImage(order.task, input, order.header);
  const { bytes = Buffer.alloc(0), ...answer } = image ?? {};
  const line = JSON.stringify((image ? answer : null) as DecoderResponse);
  process.stdout.write(Buffer.concat([Buffer.from(line), NEWLINE, bytes]));
} catch {
  process.exitCode = EXIT_REFUSED;
}
