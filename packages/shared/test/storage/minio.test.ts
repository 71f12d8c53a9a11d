import { conformanceIfFound } from './conformance-if-found.js';
import { startLocalStore } from './start-local-store.js';

conformanceIfFound('MinIO', 'minio', startLocalStore);
