// Answers like a queued provider over TLS, at once: a submit, its state, its result and an image of SIZE bytes.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';

const { PORT, TLS_PORT, CERTIFICATE, KEY, SIZE } = process.env;
const image = Buffer.alloc(Number(SIZE), 1);
const json = Buffer.from(JSON.stringify({ status: 'COMPLETED', request_id: 'x'.repeat(32) }));
const options = { cert: readFileSync(CERTIFICATE), key: readFileSync(KEY), keepAliveTimeout: 15_000 };
https
  .createServer(options, (request, response) => {
    request.resume().on('end', () => response.end(request.url === '/image' ? image : json));
  })
  .listen(Number(TLS_PORT), '127.0.0.1', 1_024);
http.createServer((_request, response) => response.end()).listen(Number(PORT), '127.0.0.1');
