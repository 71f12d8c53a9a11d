import http from 'node:http';
import { Client } from 'minio';
import type { RunningStore } from './running-store.js';

/** A well signed put whose connection ends in the middle of its body; resolves when it has ended. */
export async function cutPut(store: RunningStore, key: string, body: Buffer): Promise<void> {
  const url = new URL(store.url);
  const request = ((options: http.RequestOptions, onResponse: (answer: http.IncomingMessage) => void) => {
    const real = http.request(options, onResponse);
    real.end = () => {
      // Our side of the connection ends; the server's ends once it has seen that.
      real.write(body.subarray(0, body.length / 2), () => real.socket?.end());
      return real;
    };
    return real;
  }) as typeof http.request;
  const client = new Client({
    endPoint: url.hostname,
    port: Number(url.port),
    useSSL: false,
    region: 'us-east-1',
    accessKey: store.accessKey,
    secretKey: store.secretKey,
    transport: { request },
    transportAgent: new http.Agent(),
    retryOptions: { disableRetry: true },
  });
  const outcome = await client.putObject(store.bucket, key, body, body.length).then(
    () => 'stored',
    () => 'cut',
  );
  if (outcome !== 'cut') {
    throw new Error('the put was not cut');
  }
}
