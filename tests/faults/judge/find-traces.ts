import { createObjectStore, type ObjectStore } from '@image-gateway/shared/storage';
import { readRedis } from '../closing/read-redis.js';
import { dumpDatabase } from '../lab/failover/open-postgres-folder.js';
import type { Laboratory } from '../lab/start-laboratory.js';

/** Bytes to search for, at least 16, with a name for the report. */
export interface Trace {
  readonly name: string;
  readonly bytes: Buffer;
}

const PIECE_BYTES = 32;

/** Returns pieces of an image that no other image has: its first and last bytes may be those of many. */
export function cutImage(name: string, image: Buffer): readonly Trace[] {
  return [1 / 3, 2 / 3].map((share) => {
    const from = Math.floor(image.length * share);
    return { name, bytes: image.subarray(from, from + PIECE_BYTES) };
  });
}

/** Searches a dump of the database, all objects of the bucket, the logs and Redis; returns which trace stands where. */
export async function findTraces(lab: Laboratory, traces: readonly Trace[]): Promise<string[]> {
  const store = openBucket(lab);
  try {
    const places: [string, Buffer][] = [
      ['the dump', await dumpDatabase(lab.services.database.url)],
      ['the log', Buffer.from(lab.readLog())],
      ['Redis', Buffer.from(await readRedis(lab.services))],
    ];
    for (const key of await store.list('')) {
      places.push([`the bucket (${key})`, (await store.read(key)) ?? Buffer.alloc(0)]);
    }
    const found = places.flatMap(([place, content]) =>
      traces
        .filter(({ bytes }) => listForms(bytes).some((form) => content.includes(form)))
        .map(({ name }) => `${name} stands in ${place}`),
    );
    return [...new Set(found)];
  } finally {
    store.close();
  }
}

/** Opens the bucket of the laboratory past its wires. */
export function openBucket({ services: { s3 } }: Laboratory): ObjectStore {
  return createObjectStore({
    endpoint: s3.url,
    region: 'us-east-1',
    bucket: 'image-gateway',
    accessKey: s3.accessKey,
    secretKey: s3.secretKey,
  });
}

/** Lists the bytes as they are, in hexadecimal, as a dump writes them, and in base64 at each of its three alignments. */
function listForms(bytes: Buffer): readonly (Buffer | string)[] {
  const base64 = [0, 1, 2].map((shift) =>
    // Neighbouring bytes have a part in the first and in the last four characters.
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [bytes, bytes.toString('hex'), ...base64];
}
