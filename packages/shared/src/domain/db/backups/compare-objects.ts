import { openOwner } from '../migrations/open-owner.js';

/** Object as a listing or a store names it. */
export interface SeenObject {
  readonly key: string;
  readonly bytes: number;
}

/** Differences between the images that a database names, a listing and a store. Keys are some of those that are counted. */
export interface ObjectComparison {
  /** Images of completed tasks that are not erased. */
  readonly images: number;
  readonly unlisted: number;
  readonly missing: number;
  /** Images whose object in the store has another size. */
  readonly differing: number;
  readonly keys: readonly string[];
  /** Objects of the listing. */
  readonly listed: number;
  /** Objects of the listing that the store lacks, images or others. */
  readonly gone: number;
}

const COMPARE = `
WITH image AS (
  SELECT o.key, o.bytes, EXISTS (SELECT FROM seen l WHERE l.place = 'listing' AND l.key = o.key) AS is_listed, s.bytes AS stored
    FROM task_outputs o JOIN tasks t ON t.id = o.task_id LEFT JOIN seen s ON s.place = 'store' AND s.key = o.key
   WHERE t.status = 'completed' AND t.erased_at IS NULL)
SELECT count(*)::float8 AS images,
       (count(*) FILTER (WHERE NOT is_listed))::float8 AS unlisted,
       (count(*) FILTER (WHERE stored IS NULL))::float8 AS missing,
       (count(*) FILTER (WHERE stored <> bytes))::float8 AS differing,
       ARRAY(SELECT key FROM image WHERE stored IS NULL OR stored <> bytes OR NOT is_listed ORDER BY key LIMIT 10) AS keys,
       (SELECT count(*) FROM seen WHERE place = 'listing')::float8 AS listed,
       (SELECT count(*) FROM seen l WHERE place = 'listing'
           AND NOT EXISTS (SELECT FROM seen s WHERE s.place = 'store' AND s.key = l.key))::float8 AS gone
  FROM image`;

/**
 * Compares the images that a database names with the objects of a listing and of a store. The database holds what was seen in a
 * temporary table, so any number of objects fits. Throws what the driver and the sources throw.
 */
export async function compareObjects(
  url: string,
  sources: Readonly<Record<'listing' | 'store', AsyncIterable<readonly SeenObject[]>>>,
  onProgress: (objects: number) => void,
): Promise<ObjectComparison> {
  const client = await openOwner(url);
  try {
    await client.query(`SET statement_timeout = 0; SET default_transaction_read_only = off;
      CREATE TEMPORARY TABLE seen (place text, key text COLLATE "C", bytes int8)`);
    let objects = 0;
    for (const [place, pages] of Object.entries(sources)) {
      for await (const page of pages) {
        await client.query('INSERT INTO seen SELECT $1, * FROM unnest($2::text[], $3::int8[])', [
          place,
          page.map(({ key }) => key),
          page.map(({ bytes }) => bytes),
        ]);
        objects += page.length;
        onProgress(objects);
      }
    }
    await client.query('CREATE INDEX ON seen (place, key); ANALYZE seen');
    const { rows } = await client.query<ObjectComparison>(COMPARE);
    const [found] = rows;
    if (found === undefined) {
      throw new Error('the comparison has no row');
    }
    return found;
  } finally {
    await client.end();
  }
}
