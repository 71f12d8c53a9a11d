import { createObjectStore, type ObjectStore, type ObjectStoreSettings } from '@image-gateway/shared/storage';
import type { StoreUnderTest } from './running-store.js';

/** Settings of the store under test. */
export function settingsFor({ running }: StoreUnderTest): ObjectStoreSettings {
  const { url, bucket, accessKey, secretKey } = running();
  return { endpoint: url, region: 'us-east-1', bucket, accessKey, secretKey };
}

/** Creates the adapter on the store under test; `over` replaces some of its settings. */
export function openStore(under: StoreUnderTest, over: Partial<ObjectStoreSettings> = {}): ObjectStore {
  return createObjectStore({ ...settingsFor(under), ...over });
}
