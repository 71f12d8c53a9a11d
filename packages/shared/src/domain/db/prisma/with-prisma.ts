import { PrismaPg } from '@prisma/adapter-pg';
import type { Database } from '../create-database.js';
import { PrismaClient } from '../generated/client.js';
import { guardPrisma } from './guard-prisma.js';

/** Database that Prisma's client reads and writes too, over the same connections. */
export interface PrismaDatabase extends Database {
  /** Client, created on first use. Throws AppError `SERVICE_UNAVAILABLE` when the database is overloaded, and Prisma's own errors. */
  readonly prisma: PrismaClient;
}

/** Adds Prisma's client to a database: for the dashboard, the command line and tests. Workers have none. */
export function withPrisma(db: Database): PrismaDatabase {
  const { pool, run } = db.connections;
  let client: PrismaClient | undefined;
  return {
    ...db,
    get prisma() {
      client ??= guardPrisma(new PrismaClient({ adapter: new PrismaPg(pool) }), run);
      return client;
    },
    close: async () => {
      await client?.$disconnect();
      await db.close();
    },
  };
}
