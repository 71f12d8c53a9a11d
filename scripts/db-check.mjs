// pnpm db:check: compares the migrations with the schema. Prints the SQL that is missing and exits with 1 if there is any.
//   node scripts/db-check.mjs [SCHEMA FILE]
import { main } from './bootstrap/check-node.mjs';

await main(async () => {
  const { findMissingMigration } = await import('./database/find-missing-migration.mjs');
  const missing = await findMissingMigration(process.argv[2] ?? 'prisma/schema.prisma');
  if (missing === null) {
    console.log('The migrations lead to the schema.');
    return 0;
  }
  console.error(
    `The schema has changed without a migration. Missing is:\n\n${missing}\n\nMake it with  pnpm db:migrate NAME`,
  );
  return 1;
});
