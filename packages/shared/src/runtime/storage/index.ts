export { createObjectStore, type ObjectStoreSettings } from './create-object-store.js';
export type { ByteRange, ObjectInfo, ObjectStore, PutOptions } from './object-store.js';
export { StorageError, type StorageFault } from './storage-error.js';
