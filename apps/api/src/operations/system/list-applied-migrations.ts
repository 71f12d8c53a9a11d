import type { Database, Statement } from '@image-gateway/shared/db';

const LIST_APPLIED_MIGRATIONS: Statement = {
  name: 'doctor-migrations',
  text: `SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
};

/** Lists the names of the migrations that are applied. */
export async function listAppliedMigrations(db: Pick<Database, 'run'>): Promise<string[]> {
  const rows = await db.run<{ name: string }>(LIST_APPLIED_MIGRATIONS, []);
  return rows.map(({ name }) => name);
}
