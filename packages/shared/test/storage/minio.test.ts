import { test } from '@jest/globals';
import { objectStoreConformance } from './conformance/object-store-conformance.js';
import { findObjectStore } from './find-object-store.js';
import { startLocalStore } from './start-local-store.js';

const program = findObjectStore('minio');
if (program === null) {
  test.skip('MinIO is not here (set MINIO_BIN, or npm run object-stores:build with Go)', () => undefined);
} else objectStoreConformance('MinIO', () => startLocalStore(program));
