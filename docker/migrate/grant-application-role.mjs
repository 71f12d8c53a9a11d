// Creates the role that the processes use, or sets its password, and grants it rows and no definitions. Runs after the migrations, as
// their owner. Without APPLICATION_PASSWORD, or where roles are managed elsewhere, it does nothing.
import pg from 'pg';

const { DATABASE_URL, APPLICATION_PASSWORD = '', APPLICATION_ROLE_IS_MANAGED = '' } = process.env;
const { APPLICATION_ROLE = 'image_gateway_app' } = process.env;

/** Returns the statements that make the role what it should be, whatever it was. */
function grants(name, password, database) {
  const role = pg.escapeIdentifier(name);
  return `
DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = ${pg.escapeLiteral(name)}) THEN CREATE ROLE ${role}; END IF;
END $$;
ALTER ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD ${pg.escapeLiteral(password)};
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE ${database} TO ${role};
GRANT USAGE ON SCHEMA public TO ${role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO ${role};
REVOKE INSERT, UPDATE, DELETE ON _prisma_migrations FROM ${role};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO ${role};`;
}

if (APPLICATION_PASSWORD !== '' && APPLICATION_ROLE_IS_MANAGED === '') {
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  try {
    // The statements of one query are one transaction: the processes never find half of the grants.
    await client.query(grants(APPLICATION_ROLE, APPLICATION_PASSWORD, pg.escapeIdentifier(client.database)));
    console.log(`the role ${APPLICATION_ROLE} may read and write rows`);
  } finally {
    await client.end();
  }
}
