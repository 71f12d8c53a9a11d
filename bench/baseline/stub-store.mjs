// An object store that keeps nothing and costs next to nothing: puts are drained and answered, everything else is not there.
import { createServer } from 'node:http';

const LIST = '<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>';
const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.method === 'PUT')
      return response
        .writeHead(200, { ETag: '"00000000000000000000000000000000"', 'Content-Length': 0 })
        .end();
    if (request.url === '/healthz') return response.end('ok');
    if (request.method === 'GET' && request.url?.includes('?'))
      return response.writeHead(200, { 'Content-Type': 'application/xml' }).end(LIST);
    // The bucket itself is there, no object is.
    const isBucket = request.url?.split('?')[0]?.split('/').filter(Boolean).length === 1;
    response.writeHead(isBucket ? 200 : 404, { 'Content-Length': 0 }).end();
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
