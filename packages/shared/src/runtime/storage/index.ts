export { createObjectStore, type ObjectStore, type ObjectStoreSettings } from './create-object-store.js';
export type { ObjectInfo, PutOptions } from './objects.js';
export { StorageError, type StorageFault } from './storage-error.js';
export type { ByteRange } from './stream-object.js';
