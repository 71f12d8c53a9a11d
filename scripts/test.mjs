// npm test: installs and builds what is missing, starts the services that the selected tests need, runs them, stops everything.
//   node scripts/test.mjs [--only PATTERN]… [--watch FILE]
import { main } from './check-node.mjs';

await main(() => import('./run-tests.mjs'));
