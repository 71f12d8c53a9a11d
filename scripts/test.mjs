// npm test: installs and builds what is missing, starts the services that the selected tests need, runs them, stops everything.
import { main } from './bootstrap/check-node.mjs';

await main(async () => (await import('./testing/run-tests.mjs')).runTests());
