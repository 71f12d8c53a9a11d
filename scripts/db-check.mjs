// pnpm db:check: compares the migrations with the schema. Prints the SQL that is missing and exits with 1 if there is any.
//   node scripts/db-check.mjs [SCHEMA FILE]
import { main } from './bootstrap/check-node.mjs';
import { parseOptions } from './options/parse-options.mjs';

const USAGE = `Usage: pnpm db:check [SCHEMA FILE]

Compares the migrations with the schema, prisma/schema.prisma by default.`;

await main(async () => {
  const options = parseOptions(USAGE, { allowPositionals: true });
  if (options === null) {
    return 0;
  }
  const { findMissingMigration } = await import('./database/find-missing-migration.mjs');
  const missing = await findMissingMigration(options.positionals[0] ?? 'prisma/schema.prisma');
  if (missing === null) {
    console.log('The migrations lead to the schema.');
    return 0;
  }
  console.error(
    `The schema has changed without a migration. Missing is:\n\n${missing}\n\nMake it with  pnpm db:migrate NAME`,
  );
  return 1;
});
