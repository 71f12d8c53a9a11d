import type pg from 'pg';

// Object ids, numbers of columns and what PostgreSQL remembers of the way differ between two equal schemas: places by name and rank here.
const SCHEMA = `
WITH relations AS (SELECT c.*, n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                    WHERE n.nspname = current_schema() AND c.relname !~ '^_prisma_migrations')
SELECT 'relation ' || relname AS name, jsonb_build_object('kind', relkind, 'persistence', relpersistence, 'options', reloptions,
         'grants', relacl, 'owner', relowner::regrole::text, 'identity', relreplident, 'rows', relrowsecurity, 'forced', relforcerowsecurity,
         'method', relam, 'space', reltablespace, 'rank', rank() OVER (PARTITION BY relkind ORDER BY oid)) AS what
  FROM relations WHERE relkind = 'r'
UNION ALL
SELECT 'column ' || c.relname || '.' || a.attname, jsonb_build_object('place', rank() OVER (PARTITION BY c.oid ORDER BY a.attnum),
         'type', format_type(a.atttypid, a.atttypmod), 'required', a.attnotnull, 'default', pg_get_expr(d.adbin, d.adrelid),
         'identity', a.attidentity, 'generated', a.attgenerated, 'storage', a.attstorage, 'compression', a.attcompression,
         'statistics', a.attstattarget, 'collation', a.attcollation::regcollation::text, 'options', a.attoptions, 'grants', a.attacl)
  FROM relations c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum WHERE c.relkind IN ('r', 'v')
UNION ALL
SELECT 'index ' || c.relname, jsonb_build_object('definition', pg_get_indexdef(c.oid), 'options', c.reloptions, 'valid', i.indisvalid,
         'clustered', i.indisclustered, 'identity', i.indisreplident, 'at once', i.indimmediate,
         'rank', rank() OVER (PARTITION BY i.indrelid ORDER BY c.oid))
  FROM relations c JOIN pg_index i ON i.indexrelid = c.oid
UNION ALL
-- Constraints of NOT NULL have rows of their own since PostgreSQL 18, and stand with the columns.
SELECT 'constraint ' || k.conname || ' of ' || c.relname, jsonb_build_object('definition', pg_get_constraintdef(k.oid), 'valid', k.convalidated,
         'deferrable', k.condeferrable, 'deferred', k.condeferred,
         'rank', CASE k.contype WHEN 'f' THEN rank() OVER (PARTITION BY k.contype, k.conrelid ORDER BY k.oid) END)
  FROM relations c JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype <> 'n'
UNION ALL
SELECT 'trigger ' || t.tgname || ' of ' || c.relname, jsonb_build_object('definition', pg_get_triggerdef(t.oid), 'enabled', t.tgenabled)
  FROM relations c JOIN pg_trigger t ON t.tgrelid = c.oid AND NOT t.tgisinternal
UNION ALL
SELECT 'view ' || relname, jsonb_build_object('definition', pg_get_viewdef(oid), 'options', reloptions, 'grants', relacl)
  FROM relations WHERE relkind IN ('v', 'm')
UNION ALL
SELECT 'function ' || oid::regprocedure, jsonb_build_object('definition', pg_get_functiondef(oid), 'grants', proacl,
         'owner', proowner::regrole::text)
  FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
UNION ALL
SELECT 'comment on ' || pg_describe_object(classoid, objoid, objsubid), to_jsonb(description)
  FROM pg_description WHERE objoid >= 16384
UNION ALL
SELECT 'schema', jsonb_build_object('grants', nspacl, 'owner', nspowner::regrole::text) FROM pg_namespace WHERE nspname = current_schema()
UNION ALL
SELECT 'schema ' || nspname, '{}' FROM pg_namespace WHERE oid >= 16384 AND nspname <> current_schema()
UNION ALL
SELECT 'grants by default to ' || defaclrole::regrole || ' ' || defaclobjtype::text, to_jsonb(defaclacl) FROM pg_default_acl
UNION ALL
SELECT 'settings of ' || setrole::regrole, to_jsonb(setconfig) FROM pg_db_role_setting
 WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
UNION ALL
SELECT 'other ' || kind || ' ' || name, '{}' FROM (
  SELECT 'type', typname FROM pg_type t WHERE typnamespace = current_schema()::regnamespace AND typrelid = 0 AND typelem = 0
  UNION ALL SELECT 'sequence', sequencename FROM pg_sequences WHERE schemaname = current_schema()
  UNION ALL SELECT 'extension', extname FROM pg_extension UNION ALL SELECT 'statistics', stxname FROM pg_statistic_ext
  UNION ALL SELECT 'policy', polname FROM pg_policy UNION ALL SELECT 'publication', pubname FROM pg_publication
  UNION ALL SELECT 'event trigger', evtname FROM pg_event_trigger) o(kind, name)`;

/** Key of an installation, which no two have in common. */
const RANDOM = 'end_user_key';

/** Returns by name all that a schema has, apart from Prisma's table: definitions, storage, grants, settings, and the rows. */
export async function describeSchema(client: pg.ClientBase): Promise<Record<string, unknown>> {
  const { rows } = await client.query<{ name: string; what: unknown }>(SCHEMA);
  const described: [string, unknown][] = rows.map(({ name, what }) => [name, what]);
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
       AND relname <> '_prisma_migrations'`,
  );
  for (const { name } of tables) {
    const found = await client.query(
      `SELECT jsonb_agg(to_jsonb(t) - '${RANDOM}' ORDER BY to_jsonb(t)::text) AS rows FROM "${name}" t`,
    );
    described.push([`rows of ${name}`, found.rows[0]]);
  }
  return Object.fromEntries(described.sort(([a], [b]) => (a < b ? -1 : 1)));
}
