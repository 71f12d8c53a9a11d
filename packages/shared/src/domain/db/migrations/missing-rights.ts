import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

/** Role of the processes and the tables that it may not read and write. */
export interface MissingRights {
  readonly role: string;
  readonly tables: readonly string[];
}

const FIND_MISSING_RIGHTS: Statement = {
  name: 'find-missing-rights',
  text: `
SELECT current_user AS role, array_agg(c.relname::text ORDER BY c.relname) AS tables
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = 'public' AND c.relkind = 'r'
   AND c.relowner = (SELECT relowner FROM pg_class WHERE relname = '_prisma_migrations' AND relnamespace = n.oid) AND NOT (
         has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
         AND (c.relname = '_prisma_migrations' OR has_table_privilege(c.oid, 'INSERT')
              AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')))
HAVING count(*) > 0`,
};

/**
 * Finds the tables that the role of this database may not read and write; null where it may use all of them. Tables of others, such as
 * those of an extension, are none of the product.
 */
export async function findMissingRights(db: Pick<Database, 'run'>): Promise<MissingRights | null> {
  const [missing] = await db.run<MissingRights>(FIND_MISSING_RIGHTS, []);
  return missing ?? null;
}

const MAX_NAMED = 3;

/** Returns missing rights in words, and what grants them. */
export function describeMissingRights({ role, tables }: MissingRights): {
  readonly observed: string;
  readonly remediation: string;
} {
  const named = tables.slice(0, MAX_NAMED).join(', ') + (tables.length > MAX_NAMED ? ', …' : '');
  return {
    observed: `the role ${role} may not read and write ${tables.length} of the tables (${named})`,
    remediation: `As their owner, run: psql "$DIRECT_URL" -1 -v ON_ERROR_STOP=1 -v role=${role} -f prisma/application-role.sql`,
  };
}
