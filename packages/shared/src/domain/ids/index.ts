export { isApiKey, type NewApiKey, newApiKey } from './api-key.js';
export { randomBase62 } from './base62.js';
export { type IdPrefix, idPattern, isAnyId, isId, newId } from './id.js';
export {
  IMAGES_PREFIX,
  imageKey,
  type OwnResult,
  parseImageKey,
  parseOwnResultUrl,
  taskPrefix,
} from './image-key.js';
export {
  type FileName,
  fileId,
  type InputName,
  inputKey,
  newInputEntry,
  parseFileEntry,
  parseFileName,
  parseInputEntry,
} from './input-key.js';
export { newRequestId, readRequestTime } from './request-id.js';
