// pnpm db:check: compares the migrations with the schema, and the variants of statements with their sources. Prints the SQL that is
// missing and exits with 1 if there is any.
//   node scripts/db-check.mjs [SCHEMA FILE]
import { main } from './bootstrap/check-node.mjs';
import { parseOptions } from './options/parse-options.mjs';

const USAGE = `Usage: pnpm db:check [SCHEMA FILE]

Compares the migrations with the schema, prisma/schema.prisma by default, and the variants of statements with their sources.`;

await main(async () => {
  const options = parseOptions(USAGE, { allowPositionals: true });
  if (options === null) {
    return 0;
  }
  const { readStatements } = await import('./database/write-statements.mjs');
  const stale = (await readStatements()).filter(({ isStale }) => isStale);
  if (stale.length > 0) {
    console.error(`Statements differ from their sources:\n\n${stale.map(({ target }) => target).join('\n')}`);
    console.error('\nWrite them with  pnpm db:statements');
    return 1;
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
