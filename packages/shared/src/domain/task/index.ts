export { toCamelCase as toProperty } from '../contract/index.js';
export {
  createReplayParser,
  createRequestParser,
  generateSchema,
  type ParsedRequest,
  parseGenerateRequest,
  type RequestParser,
} from './create-request-parser.js';
export {
  ADDED_NAMES,
  BODY_NAMES,
  DATA_URL,
  DRAWN_PROPERTIES,
  type DrawnProperty,
  FORM_NAMES,
  findInputFault,
  type OfferedModel,
  REQUIREMENT_NAMES,
  type RequirementName,
  selectField,
  TASK_FIELD_NAMES,
  TASK_FIELDS,
  type TaskField,
  VIEW_NAMES,
  type ViewName,
  type ViewProperty,
} from './fields.js';
export { findIgnored } from './find-ignored.js';
export { fingerprintRequest, type RequestFingerprint } from './fingerprint-request.js';
export * from './preferences.js';
export * from './requirements.js';
