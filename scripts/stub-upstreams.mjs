// npm run stub-upstreams: providers that are none, to try the gateway and its ways with trouble. Options: --port, --host, --full-size, --only-openai.
import { main } from './check-node.mjs';

await main(() => import('./run-stub-upstreams.mjs'));
