// pnpm db:statements: writes out the variants of the SQL files of billing, which `db:check` and a test compare with their sources.
import { main } from './bootstrap/check-node.mjs';
import { parseOptions } from './options/parse-options.mjs';

const USAGE = `Usage: pnpm db:statements

Writes the variants of the SQL files in packages/shared/src/domain/billing into its folder generated. Compile first.`;

await main(async () => {
  if (parseOptions(USAGE, {}) !== null) {
    await (await import('./database/write-statements.mjs')).writeStatements();
  }
  return 0;
});
