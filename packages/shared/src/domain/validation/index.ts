export { findUnstorable, isStorable } from './is-storable.js';
export { parseDay, parseInstant } from './parse-instant.js';
export { parseQuery, type QuerySchemas, querySchemas } from './queries.js';
export { boundedText, characterRule, textSchema, urlRule } from './text-schema.js';
