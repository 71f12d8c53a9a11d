import { createObjectStore, type ObjectStore, type ObjectStoreSettings } from '@image-gateway/shared/storage';

/** An object store under test: a process that the suite may stop, kill and start again. */
export interface RunningStore {
  readonly url: string;
  /** There from the start. */
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** The key that may make buckets, where the other one may not. */
  readonly root?: { readonly accessKey: string; readonly secretKey: string };
  start(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** Store that the parts of the suite share; it runs from the first test to the last. */
export interface StoreUnderTest {
  running(): RunningStore;
}

/** Settings of the store under test. */
export function settingsFor({ running }: StoreUnderTest): ObjectStoreSettings {
  const { url, bucket, accessKey, secretKey } = running();
  return { endpoint: url, region: 'us-east-1', bucket, accessKey, secretKey };
}

/** Creates the adapter on the store under test; `over` replaces some of its settings. */
export function openStore(under: StoreUnderTest, over: Partial<ObjectStoreSettings> = {}): ObjectStore {
  return createObjectStore({ ...settingsFor(under), ...over });
}
