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
export { parseQuery, type QuerySchemas, querySchemas } from './queries.js';
export { characterRule, textSchema } from './text-schema.js';
