import { createObjectStore, type ObjectStore } from '@image-gateway/shared/storage';
import type { Services } from './services.js';

/** Opens an object store with the product's own client. */
export function openStore(s3: Services['s3']): ObjectStore {
  return createObjectStore({ ...s3, region: 'us-east-1', bucket: 'image-gateway' });
}
