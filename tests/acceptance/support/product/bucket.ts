import { createHash, createHmac } from 'node:crypto';
import type { Product } from './product.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** The keys of the bucket that begin with a prefix (1,000 at most), asked for with a signature made by hand (AWS version 4). */
export async function keysInBucket(product: Product, prefix: string): Promise<string[]> {
  const { url, bucket, accessKey, secretKey } = product.run().s3;
  const region = product.settings.S3_REGION ?? 'us-east-1';
  const query = `list-type=2&prefix=${encodeURIComponent(prefix)}`;
  const { host } = new URL(url);
  const time = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers = `host:${host}\nx-amz-content-sha256:${sha256('')}\nx-amz-date:${time}\n`;
  const names = 'host;x-amz-content-sha256;x-amz-date';
  const canonical = ['GET', `/${bucket}`, query, headers, names, sha256('')].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretKey}`);
  const signature = hmac(key, text).toString('hex');
  const answer = await fetch(`${url}/${bucket}?${query}`, {
    headers: {
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
      'x-amz-content-sha256': sha256(''),
      'x-amz-date': time,
    },
  });
  const xml = await answer.text();
  if (!answer.ok) {
    throw new Error(`the bucket answered ${answer.status}: ${xml}`);
  }
  return [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, found]) => found ?? '');
}
