// npm run test:variants: the acceptance tests once more on other ground: a real MinIO with the system's PostgreSQL, and another Node.
//   node scripts/test-variants.mjs [--only PATTERN]… [minio-postgres] [node24] [minio-postgres+node24]
import { main } from './check-node.mjs';

await main(() => import('./run-variants.mjs'));
