// Serves a page that draws. The key stays here: the page asks this server, which adds it and lets through what the page needs.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ImageGateway, ImageGatewayError } from '@image-gateway/client';

const { IMAGE_GATEWAY_URL, IMAGE_GATEWAY_KEY, PUBLIC_URL, PORT = '8080' } = process.env;
const MAX_BODY = 11 * 1024 * 1024;
const gateway = new ImageGateway();
/** The files of the client, which the browser loads from here. */
const CLIENT = path.dirname(fileURLToPath(import.meta.resolve('@image-gateway/client')));
/** Ids of tasks that webhooks have told of. */
const finished = new Set();

class HttpError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const sendJson = (response, status, value, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) {
      throw new HttpError(413, 'The image is too large.');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The visitor, known by a cookie. A real server knows its users by a log-in. */
function findVisitor(request, response) {
  const known = /(?:^|; )visitor=([0-9a-f-]{36})/.exec(request.headers.cookie ?? '')?.[1];
  const visitor = known ?? randomUUID();
  if (known === undefined) {
    response.setHeader('set-cookie', `visitor=${visitor}; HttpOnly; SameSite=Lax; Path=/`);
  }
  return visitor;
}

/** Sends a request on to the gateway with the key, and its answer back to the page. */
async function forward(request, response, target, body, check = () => true) {
  const headers = { authorization: `Bearer ${IMAGE_GATEWAY_KEY}` };
  for (const name of ['content-type', 'idempotency-key']) {
    if (request.headers[name] !== undefined) {
      headers[name] = request.headers[name];
    }
  }
  const answer = await fetch(`${IMAGE_GATEWAY_URL}${target}`, { method: request.method, headers, body });
  const text = await answer.text();
  if (answer.ok && !check(JSON.parse(text).data)) {
    throw new HttpError(404, 'Not found.');
  }
  const kept = ['content-type', 'retry-after', 'x-request-id'].filter((name) => answer.headers.has(name));
  response.writeHead(answer.status, Object.fromEntries(kept.map((name) => [name, answer.headers.get(name)])));
  response.end(text);
}

async function generate(request, response, visitor) {
  const asked = JSON.parse((await readBody(request)).toString());
  const body = {
    // The page chooses these fields; this server says who asks and where webhooks go.
    ...Object.fromEntries(['model', 'prompt', 'image_urls'].map((name) => [name, asked[name]])),
    metadata: { visitor },
    ...(PUBLIC_URL && { webhook_url: `${PUBLIC_URL}/hooks/images` }),
  };
  await forward(request, response, '/v1/generate', JSON.stringify(body));
}

async function showGallery(response, visitor) {
  const images = [];
  for await (const task of gateway.tasks.list({ status: 'completed', metadata: { visitor }, per_page: 50 })) {
    images.push({ id: task.id, url: task.output.url, told: finished.has(task.id) });
    if (images.length === 50) {
      break;
    }
  }
  sendJson(response, 200, images);
}

async function takeWebhook(request, response) {
  const event = await gateway.webhooks.unwrap(await readBody(request), request.headers);
  // The same event may come twice: a set does not mind.
  finished.add(event.data.id);
  console.log(`${event.type} ${event.data.id} ${event.data.cost}`);
  response.writeHead(204).end();
}

async function answer(request, response) {
  const { pathname, search } = new URL(request.url, 'http://localhost');
  if (request.method === 'POST' && pathname === '/hooks/images') {
    return takeWebhook(request, response);
  }
  if (pathname === '/') {
    findVisitor(request, response);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    return response.end(await readFile(path.join(import.meta.dirname, 'index.html')));
  }
  if (/^\/client\/(generated\/)?[a-z]+\.js$/.test(pathname)) {
    response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' });
    return response.end(await readFile(path.join(CLIENT, pathname.slice('/client/'.length))));
  }
  const visitor = findVisitor(request, response);
  if (pathname === '/gallery') {
    return showGallery(response, visitor);
  }
  if (request.method === 'POST' && pathname === '/images/v1/generate') {
    return generate(request, response, visitor);
  }
  if (request.method === 'POST' && pathname === '/images/v1/files') {
    return forward(request, response, '/v1/files', await readBody(request));
  }
  const task = /^\/images(\/v1\/tasks\/gen_\w+)$/.exec(pathname);
  if (request.method === 'GET' && task) {
    return forward(
      request,
      response,
      task[1] + search,
      undefined,
      (data) => data.metadata?.visitor === visitor,
    );
  }
  throw new HttpError(404, 'Not found.');
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    const isRefused = error instanceof ImageGatewayError || error instanceof SyntaxError;
    const status = error instanceof HttpError ? error.status : isRefused ? 400 : 502;
    if (!response.headersSent) {
      sendJson(response, status, { data: null, error: { code: 'BAD_REQUEST', message: error.message } });
    }
    response.destroy();
  });
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://localhost:${server.address().port}`));
