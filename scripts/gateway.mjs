// npm run gateway: the operator's command line. Nothing but its own output goes to standard output.
import { main } from './check-node.mjs';

await main(() => import('./run-gateway.mjs'));
