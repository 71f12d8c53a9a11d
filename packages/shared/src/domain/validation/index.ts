export { type GenerateSchemaOptions, generateSchema, parseGenerateRequest } from './generate-request.js';
export { parseQuery, type QuerySchemas, querySchemas } from './queries.js';
