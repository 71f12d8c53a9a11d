// pnpm db:migrate NAME: writes the migration that leads from the migrations to the schema, and the database client with it.
// It is not applied anywhere: npm start does that. Without a difference the file is empty, for SQL written by hand.
import { main } from './bootstrap/check-node.mjs';
import { parseOptions } from './options/parse-options.mjs';

const USAGE = `Usage: pnpm db:migrate NAME

Writes the migration that leads from the migrations to prisma/schema.prisma, such as add_country, and the database client.`;

await main(async () => {
  const options = parseOptions(USAGE, { allowPositionals: true });
  return options === null
    ? 0
    : (await import('./database/write-migration.mjs')).writeMigration(options.positionals[0]);
});
