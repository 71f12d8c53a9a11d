export { checkAmount } from './check-amount.js';
export { findUnstorable, isStorable } from './is-storable.js';
export * from './list-cursor.js';
export { isMetadata, METADATA_RULE, metadataSchema } from './metadata-schema.js';
export { parseQuery, type QuerySchemas, querySchemas, usageGroupSchema } from './query-schemas.js';
export {
  boundedText,
  characterRule,
  explainText,
  findUrlFault,
  type TextRule,
  textSchema,
  urlRule,
} from './text-schema.js';
