export { isApiKey, type NewApiKey, newApiKey } from './api-key-format.js';
export { type IdPrefix, newId } from './new-id.js';
export { randomBase62 } from './random-base62.js';
