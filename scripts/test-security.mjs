// npm run test:security: fuzzing of every endpoint (with schemathesis where there is Python), planted secrets, dependency audit.
import { main } from './check-node.mjs';

await main(() => import('./run-security.mjs'));
