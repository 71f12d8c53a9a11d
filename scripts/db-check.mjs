// pnpm db:check: do the migrations lead to the schema? Prints the SQL that is missing and ends with 1 if not.
//   node scripts/db-check.mjs [SCHEMA FILE]
import { main } from './check-node.mjs';

await main(async () => {
  const { migrationDiff } = await import('./migration-diff.mjs');
  const { withThrowAwayDatabase } = await import('./throw-away-database.mjs');
  return {
    run: () =>
      withThrowAwayDatabase(async (url) => {
        const missing = migrationDiff(url, process.argv[2] ?? 'prisma/schema.prisma');
        if (missing === null) {
          console.log('The migrations lead to the schema.');
          return 0;
        }
        console.error(
          `The schema has changed without a migration. Missing is:\n\n${missing}\n\nMake it with  pnpm db:migrate NAME`,
        );
        return 1;
      }),
  };
});
