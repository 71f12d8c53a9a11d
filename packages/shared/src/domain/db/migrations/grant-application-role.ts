import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { renderSessionDefaults } from '../session-defaults.js';
import { openOwner } from './open-owner.js';

/** Role of the processes and its password. */
export interface ApplicationRole {
  readonly name: string;
  readonly password: string;
  /** File with its rights, `prisma/application-role.sql`. */
  readonly rights: string;
}

/** Creates the role that the processes use, or sets its password, and grants it rows and no definitions. `url` is the owner's. */
export async function grantApplicationRole(
  url: string,
  { name, password, rights }: ApplicationRole,
): Promise<void> {
  const text = await readFile(rights, 'utf8');
  const client = await openOwner(url);
  try {
    const role = pg.escapeIdentifier(name);
    const grants = text
      .replaceAll(':"role"', () => role)
      .replaceAll(':"DBNAME"', () => pg.escapeIdentifier(client.database ?? ''));
    // The statements of one query are one transaction: the processes never find half of the grants.
    await client.query(`
DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = ${pg.escapeLiteral(name)}) THEN CREATE ROLE ${role}; END IF;
END $$;
ALTER ROLE ${role} LOGIN PASSWORD ${pg.escapeLiteral(password)};
${grants}
${renderSessionDefaults(pg.escapeLiteral(name))}`);
  } finally {
    await client.end();
  }
}
