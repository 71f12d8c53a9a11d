import fs from 'node:fs';
import { withClient } from './with-client.js';

/** Returns whether every migration of the folder has been applied, which saves a start of the migration program. */
export async function isMigrated(url: string, migrationsDir: string): Promise<boolean> {
  const wanted = fs
    .readdirSync(migrationsDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  try {
    const applied = await withClient(url, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
      );
      return new Set(rows.map(({ name }) => name));
    });
    return wanted.every((name) => applied.has(name));
  } catch (error) {
    // No such database or no such table: nothing has been applied.
    if (['3D000', '42P01'].includes((error as { code?: string }).code ?? '')) {
      return false;
    }
    throw error;
  }
}
