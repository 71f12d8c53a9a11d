import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

/** An answer of the product. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Request to the product. */
export interface HttpCall {
  readonly url: string;
  /** Path and query as they are written; those of the URL unless given. */
  readonly target?: string | undefined;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer | undefined;
  readonly timeoutMs?: number | undefined;
  /** Address that the request comes from; 127.0.0.1 unless given. */
  readonly localAddress?: string;
}

const TIMEOUT_MS = 12_000;
const agent = new Agent({ keepAlive: true, maxSockets: 200 });

/** Sends one request and reads the whole answer; rejects with an error whose `code` says how the connection ended. */
export function callHttp({
  url,
  target,
  method = 'GET',
  headers = {},
  body,
  timeoutMs,
  localAddress,
}: HttpCall): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = {
      method,
      agent,
      headers: { ...length, ...headers },
      localAddress,
      ...(target !== undefined && { path: target }),
    };
    const outgoing = request(url, options, (incoming) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part));
      incoming.on('error', reject);
      incoming.on('end', () => {
        clearTimeout(timer);
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(parts) });
      });
    });
    const timer = setTimeout(() => {
      outgoing.destroy(
        Object.assign(new Error(`${method} ${target ?? url}: no answer in time`), { code: 'TIMEOUT' }),
      );
    }, timeoutMs ?? TIMEOUT_MS);
    outgoing.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    outgoing.end(body);
  });
}
