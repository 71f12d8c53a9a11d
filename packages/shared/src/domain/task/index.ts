export {
  createReplayParser,
  createRequestParser,
  type RequestParser,
} from './create-request-parser.js';
export {
  ADDED_NAMES,
  DATA_URL,
  DRAWN_PROPERTIES,
  type DrawnProperty,
  FORM_NAMES,
  findInputFault,
  NEED_NAMES,
  type OfferedModel,
  selectField,
  TASK_FIELD_NAMES,
  TASK_FIELDS,
  type TaskFieldProperty,
  toProperty,
  VIEW_NAMES,
  type ViewName,
  type ViewProperty,
} from './fields.js';
export { findIgnored } from './find-ignored.js';
export { fingerprintRequest, type RequestFingerprint } from './fingerprint-request.js';
export { generateSchema, type ParsedRequest, parseGenerateRequest } from './parse-generate-request.js';
export { readWish, WISH_NAMES, WISHES } from './wishes.js';
