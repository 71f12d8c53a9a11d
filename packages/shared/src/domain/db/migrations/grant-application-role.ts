import pg from 'pg';
import { renderSessionDefaults } from '../session-defaults.js';
import { openOwner } from './open-owner.js';

/** Role of the processes and its password. */
export interface ApplicationRole {
  readonly name: string;
  readonly password: string;
}

/** Creates the role that the processes use, or sets its password, and grants it rows and no definitions. `url` is the owner's. */
export async function grantApplicationRole(url: string, { name, password }: ApplicationRole): Promise<void> {
  const client = await openOwner(url);
  try {
    const role = pg.escapeIdentifier(name);
    // The statements of one query are one transaction: the processes never find half of the grants.
    await client.query(`
DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = ${pg.escapeLiteral(name)}) THEN CREATE ROLE ${role}; END IF;
END $$;
ALTER ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD ${pg.escapeLiteral(password)};
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE ${pg.escapeIdentifier(client.database ?? '')} TO ${role};
GRANT USAGE ON SCHEMA public TO ${role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO ${role};
REVOKE INSERT, UPDATE, DELETE ON _prisma_migrations FROM ${role};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO ${role};
${renderSessionDefaults(pg.escapeLiteral(name))}`);
  } finally {
    await client.end();
  }
}
