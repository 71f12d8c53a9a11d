import { objectStoreConformance } from './conformance/object-store-conformance.js';
import { startLocalStore } from './start-local-store.js';

objectStoreConformance('the embedded object store', () => startLocalStore(null));
