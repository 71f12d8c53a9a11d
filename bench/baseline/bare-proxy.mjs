// A bare proxy in front of an object store: passes path and query on, and the answer back. Clients bring a signature in the query.
import { Agent, request as ask, createServer } from 'node:http';

const { PORT, S3_ENDPOINT } = process.env;
const { hostname, port } = new URL(S3_ENDPOINT);
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

const server = createServer((request, response) => {
  if (request.url === '/healthz') {
    return response.end('ok');
  }
  const headers = { Host: `${hostname}:${port}` };
  const inner = ask({ hostname, port, path: request.url, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  inner.on('error', () => response.destroy());
  response.on('close', () => inner.destroy());
  inner.end();
});
server.listen(Number(PORT), '127.0.0.1', 1_024);
