// An object store that costs next to nothing: of each put it keeps what a look at the object asks for, never the bytes.
import { createServer } from 'node:http';

const LIST = '<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>';
const MAX_KEPT = 100_000;
const kept = new Map();

function put(path, request, response) {
  if (request.headers['if-none-match'] === '*' && kept.has(path)) {
    response.writeHead(412, { 'Content-Length': 0 }).end();
    return;
  }
  const {
    'content-length': length,
    'x-amz-decoded-content-length': bytes = length,
    ...headers
  } = request.headers;
  const own = Object.entries(headers).filter(([name]) => /^(content-type|x-amz-meta-.*)$/.test(name));
  kept.set(path, { ...Object.fromEntries(own), 'Content-Length': bytes });
  if (kept.size > MAX_KEPT) {
    kept.delete(kept.keys().next().value);
  }
  response.writeHead(200, { ETag: '"00000000000000000000000000000000"', 'Content-Length': 0 }).end();
}

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  request.resume();
  request.on('end', () => {
    const [path = '', query] = request.url?.split('?') ?? [];
    if (request.method === 'PUT') {
      return put(path, request, response);
    }
    if (path === '/healthz') {
      return response.end('ok');
    }
    if (request.method === 'GET' && query !== undefined) {
      return response.writeHead(200, { 'Content-Type': 'application/xml' }).end(LIST);
    }
    const standing = kept.get(path);
    const isBucket = path.split('/').filter(Boolean).length === 1;
    const head = standing && { ...standing, ETag: '"0"', 'Last-Modified': new Date(0).toUTCString() };
    response.writeHead(head || isBucket ? 200 : 404, head ?? { 'Content-Length': 0 }).end();
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
