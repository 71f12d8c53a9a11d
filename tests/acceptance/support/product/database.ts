import pg from 'pg';
import type { Product } from './product.js';

/** Reads rows from the gateway's database, as an auditor would; bigint columns come as text. */
export async function query<R extends pg.QueryResultRow>(
  product: Product,
  sql: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  return withDatabase(product, async (client) => (await client.query<R>(sql, [...values])).rows);
}

/** Opens one connection for the length of `use`. */
export async function withDatabase<T>(product: Product, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: product.run().postgres.url });
  client.on('error', (error) => process.stderr.write(`auditor's connection: ${error.message}\n`));
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
