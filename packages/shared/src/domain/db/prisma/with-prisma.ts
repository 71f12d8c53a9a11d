import { PrismaPg } from '@prisma/adapter-pg';
import { AppError } from '../../errors/index.js';
import type { Database } from '../create-database.js';
import { PrismaClient } from '../generated/client.js';

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

/** Runs an action under a name, which may have to wait for its turn; throws AppError. */
type Run = <T>(name: string, action: () => Promise<T>) => Promise<T>;

/**
 * Lets every operation on a model go through `run`, as named statements do. Throws AppError `SERVICE_UNAVAILABLE` when
 * the database is overloaded, else Prisma's own error, whose codes its callers know.
 */
function guardPrisma(prisma: PrismaClient, run: Run): PrismaClient {
  const guarded = prisma.$extends({
    query: {
      $allModels: {
        $allOperations: async ({ model, operation, args, query }) => {
          let own: unknown;
          const action = async (): Promise<unknown> => {
            try {
              return await query(args);
            } catch (error) {
              own = error;
              throw error;
            }
          };
          try {
            return await run(`${model}.${operation}`, action);
          } catch (error) {
            throw isOverload(error) ? error : (own ?? error);
          }
        },
      },
    },
  });
  // The type of an extended client lacks `$on`, which is for logs of the engine.
  return guarded as unknown as PrismaClient;
}

function isOverload(error: unknown): boolean {
  return error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE';
}
