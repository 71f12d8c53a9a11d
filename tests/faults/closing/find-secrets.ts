import type { Laboratory } from '../lab/start-laboratory.js';
import { PLANTED } from '../scenarios/secrets.js';
import { readRedis } from './read-redis.js';

/** Searches logs, Redis and webhooks for everything that must stand in none of them. */
export async function findSecrets(lab: Laboratory): Promise<string[]> {
  const { pool, url } = lab.services.database;
  const { rows } = await pool.query<{ secret: string }>('SELECT webhook_secret AS secret FROM accounts');
  const secrets: [string, string][] = [
    ...Object.entries(PLANTED),
    ...rows.map(({ secret }, n): [string, string] => [`webhook secret ${n}`, secret]),
    ['password of PostgreSQL', new URL(url).password],
    ['password of Redis', new URL(lab.services.redisUrl).password],
    ['secret key of the object store', lab.services.s3.secretKey],
    ...Object.values(lab.upstreams.keys)
      .flat()
      .filter((key) => key !== '')
      .map((key): [string, string] => ['key of a provider', key]),
  ];
  const places: [string, string][] = [
    ['the log', lab.readLog()],
    ['Redis', await readRedis(lab.services)],
    [
      'webhooks',
      lab.receiver
        .hooks()
        .map(({ body, id }) => `${id} ${body}`)
        .join('\n'),
    ],
  ];
  return places.flatMap(([place, text]) =>
    secrets.filter(([, secret]) => text.includes(secret)).map(([name]) => `${name} stands in ${place}`),
  );
}
