export {
  createReplayParser,
  createRequestParser,
  type RequestParser,
} from './create-request-parser.js';
export {
  DRAWN_PROPERTIES,
  type DrawnProperty,
  type OfferedModel,
  TASK_FIELD_NAMES,
  TASK_FIELDS,
  type TaskFieldProperty,
  toProperty,
  VIEW_NAMES,
  type ViewName,
  type ViewProperty,
} from './fields.js';
export { fingerprintRequest } from './fingerprint-request.js';
export { generateSchema, type ParsedRequest, parseGenerateRequest } from './generate-request.js';
