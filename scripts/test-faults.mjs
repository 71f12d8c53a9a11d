// npm run test:faults: the fault laboratory. Options: --seed N, --only NAME…, --soak MINUTES, --json, --record.
import { main } from './check-node.mjs';

await main(() => import('./run-faults.mjs'));
