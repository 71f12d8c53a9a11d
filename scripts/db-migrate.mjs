// pnpm db:migrate NAME: writes the migration that leads from the migrations to the schema, and the database client with it.
// It is not applied anywhere: npm start does that. Without a difference the file is empty, for SQL written by hand.
import { main } from './bootstrap/check-node.mjs';

await main(async () => (await import('./database/write-migration.mjs')).writeMigration(process.argv[2]));
