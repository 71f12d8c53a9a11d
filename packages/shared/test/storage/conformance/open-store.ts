import { createObjectStore, type ObjectStore, type ObjectStoreSettings } from '@image-gateway/shared/storage';
import type { StoreUnderTest } from './running-store.js';

/** The adapter on the store under test, with settings of one's own over the right ones. */
export function openStore({ running }: StoreUnderTest, over: Partial<ObjectStoreSettings> = {}): ObjectStore {
  const { url, bucket, accessKey, secretKey } = running();
  return createObjectStore({ endpoint: url, region: 'us-east-1', bucket, accessKey, secretKey, ...over });
}
