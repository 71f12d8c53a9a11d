// npm run test:mutants: deliberate defects, each in a copy of the checkout, each of which the fault laboratory or the simulation must find.
import { main } from './check-node.mjs';

await main(() => import('./run-mutants.mjs'));
