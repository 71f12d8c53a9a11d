export { createObjectStore, type ObjectStore, type ObjectStoreSettings } from './create-object-store.js';
export type { ObjectInfo } from './objects.js';
export type { ObjectBody, PutOptions, StreamedBody } from './put-object.js';
export { StorageError, type StorageFault } from './storage-error.js';
export type { ByteRange } from './stream-object.js';
