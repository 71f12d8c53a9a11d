// Receives webhooks on several ports, as several receivers would, and answers 204 as soon as a body is whole. `GET /receivers` names them.
import { once } from 'node:events';
import { createServer } from 'node:http';

const { PORT, RECEIVERS } = process.env;
const receivers = [];
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.method === 'POST') {
      return response.writeHead(204).end();
    }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(receivers));
  });
});
for (let i = 0; i < Number(RECEIVERS); i++) {
  const own = createServer(server.listeners('request')[0]).listen(0, '127.0.0.1', 1_024);
  await once(own, 'listening');
  receivers.push(`127.0.0.1:${own.address().port}`);
}
server.listen(Number(PORT), '127.0.0.1', 1_024);
