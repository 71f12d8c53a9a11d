export {
  createReplayParser,
  createRequestParser,
  type RequestParser,
} from './create-request-parser.js';
export {
  generateSchema,
  type OfferedModel,
  type ParsedRequest,
  parseGenerateRequest,
} from './generate-request.js';
export { findUnstorable, isStorable } from './is-storable.js';
export { parseDay, parseInstant } from './parse-instant.js';
export { parseQuery, type QuerySchemas, querySchemas } from './queries.js';
export { boundedText, characterRule, textSchema, urlRule } from './text-schema.js';
