import { conformanceIfFound } from './conformance-if-found.js';
import { findObjectStore } from './find-object-store.js';
import { startLocalStore } from './start-local-store.js';
import { startMinioUser } from './start-minio-user.js';

// With its client, the suite has the key that the compose file gives to the processes: what it asks is all that they need.
const client = findObjectStore('mc');
conformanceIfFound('MinIO', 'minio', (minio) =>
  client === null ? startLocalStore(minio) : startMinioUser(minio, client),
);
