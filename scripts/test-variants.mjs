// npm run test:variants: the acceptance tests once more on other ground: a real MinIO with the system's PostgreSQL,
// another Redis, and another Node.
import { main } from './bootstrap/check-node.mjs';

await main(async () => (await import('./testing/run-variants.mjs')).runVariants());
