import http from 'node:http';

/** An HTTP answer, read to its end. */
export interface RawAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
}

/** Request to send; the target is sent exactly as written, unlike with fetch. */
export interface RawRequest {
  url: string;
  method: string;
  target: string;
  headers?: http.OutgoingHttpHeaders;
  body?: string | Buffer;
  timeoutMs?: number;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });

/** Sends one request to the server at `url`; rejects when the connection breaks or after `timeoutMs` (30 s). */
export function sendRequest({
  url,
  method,
  target,
  headers,
  body,
  timeoutMs = 30_000,
}: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { agent, hostname, port, method, path: target, headers: { ...length, ...headers } };
    const request = http.request(options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(parts) });
      });
    });
    request.setTimeout(timeoutMs, () =>
      request.destroy(new Error(`${method} ${target}: no answer in ${timeoutMs} ms`)),
    );
    request.on('error', reject);
    request.end(body);
  });
}
