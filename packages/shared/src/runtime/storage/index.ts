export { createObjectStore, type ObjectStore, type ObjectStoreSettings } from './create-object-store.js';
export type { ListedObject, ObjectInfo } from './objects.js';
export type { ObjectBody, PutOptions, StreamedBody } from './put-object.js';
export { refuseUnconditionalPuts } from './refuse-unconditional-puts.js';
export { StorageError, type StorageFault } from './storage-error.js';
export { STORE_SETTINGS, toStoreSettings } from './store-settings.js';
export type { ByteRange } from './stream-object.js';
