// An upstream that speaks Gemini's `generateContent`: it answers after LATENCY (seconds, A-B) with one PNG of BYTES, as base64 in chunks.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { crc32, deflateSync } from 'node:zlib';

const { PORT, BYTES, LATENCY } = process.env;
const [minSeconds, maxSeconds = minSeconds] = LATENCY.split('-').map(Number);

function chunk(type, content) {
  const frame = Buffer.alloc(12 + content.length);
  frame.writeUInt32BE(content.length, 0);
  frame.write(type, 4, 'latin1');
  content.copy(frame, 8);
  frame.writeUInt32BE(crc32(frame.subarray(4, 8 + content.length)), 8 + content.length);
  return frame;
}

/** A PNG of about so many bytes, which is half of what its pixels have, as with drawn images. */
function drawPng(bytes) {
  const side = Math.max(16, Math.round(Math.sqrt((2 * bytes) / 3)));
  const rows = randomBytes((3 * side + 1) * side);
  for (let at = 0; at < rows.length; at++) {
    rows[at] = at % (3 * side + 1) === 0 ? 0 : 96 + (rows[at] & 15);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const data = drawPng(Number(BYTES)).toString('base64');
const answer = Buffer.from(
  JSON.stringify({
    candidates: [
      {
        content: { parts: [{ inlineData: { mimeType: 'image/png', data } }], role: 'model' },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    modelVersion: 'stub',
    responseId: 'bench',
  }),
);
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    return response.end('ok');
  }
  request.resume();
  request.on('end', () => {
    const seconds = minSeconds + Math.random() * (maxSeconds - minSeconds);
    setTimeout(() => {
      // Without a Content-Length, as from Gemini's own servers.
      response.writeHead(200, { 'Content-Type': 'application/json; charset=UTF-8' }).end(answer);
    }, 1_000 * seconds);
  });
});
server.listen(Number(PORT), '127.0.0.1', 1_024);
