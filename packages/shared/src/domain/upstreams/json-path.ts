import { createRequire } from 'node:module';
import type * as JsonPath from 'jsonpath-rfc9535';
import type * as Parser from 'jsonpath-rfc9535/parser';

type Json = Parameters<typeof JsonPath.query>[0];
type Parse = typeof Parser.default;

const require = createRequire(import.meta.url);
// Loaded for the first path: most installations have none.
const loadLibrary = (): typeof JsonPath => require('jsonpath-rfc9535');
const loadParser = (): typeof Parser => require('jsonpath-rfc9535/parser');

const MAX_CHARACTERS = 200;
const MAX_SEGMENTS = 10;
/** Most values that one path gives: no answer has more images. */
const MAX_VALUES = 100;

/**
 * Returns what is wrong with a JSONPath (RFC 9535); null for one that costs no more than the size of the document: without
 * filters and descent.
 */
export function checkJsonPath(path: string): string | null {
  if (path.length > MAX_CHARACTERS) {
    return `must have at most ${MAX_CHARACTERS} characters`;
  }
  const parse = loadParser().default;
  let segments: ReturnType<Parse>['segments'];
  try {
    ({ segments } = parse(path));
  } catch {
    return 'must be a JSONPath of RFC 9535, such as $.data.id or $.results[*]';
  }
  if (segments.length > MAX_SEGMENTS) {
    return `must have at most ${MAX_SEGMENTS} segments`;
  }
  return /"(FilterSelector|DescendantSegment)"/.test(JSON.stringify(segments.map(listTypes)))
    ? 'must be a JSONPath without filters and without ..'
    : null;
}

/** Returns the values that a checked path selects in a parsed JSON document. */
export function readJsonPath(document: unknown, path: string | undefined): readonly unknown[] {
  return path === undefined || document === undefined
    ? []
    : loadLibrary()
        .query(document as Json, path)
        .slice(0, MAX_VALUES);
}

/** Lists the types of the nodes of a segment, without the names that a document gives. */
function listTypes({ type, node }: ReturnType<Parse>['segments'][number]): readonly string[] {
  const selectors = 'selectors' in node ? node.selectors.map((selector) => selector.type) : [];
  return [type, node.type, ...selectors];
}
