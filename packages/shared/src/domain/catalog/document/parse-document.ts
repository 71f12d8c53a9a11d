import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import type { CatalogFault } from './catalog-fault.js';

/** Maximum size of the text of a catalog document in bytes. */
export const MAX_DOCUMENT_BYTES = 1024 * 1024;

const require = createRequire(import.meta.url);

/** Returns the library, which is loaded for the first text: most processes read stored documents alone. */
export const loadYaml = (): typeof Yaml => require('yaml');

/** Value of a parsed text, or the faults of its syntax. */
export type ParsedDocument = { readonly value: unknown } | { readonly faults: readonly CatalogFault[] };

/** Deepest nesting in brackets, and of indicators on one line. */
const MAX_DEPTH = 20;
/** Widest indentation, which bounds the depth of indented blocks. */
const MAX_INDENT = 200;

const fault = (message: string): CatalogFault => ({ path: '', message });

/**
 * Parses a document as YAML 1.2 (or JSON) without anchors, aliases and tags. An empty text is an empty document. Faults name
 * lines and never the text there, which may be a secret.
 */
export function parseDocument(source: string): ParsedDocument {
  if (Buffer.byteLength(source) > MAX_DOCUMENT_BYTES) {
    return { faults: [fault(`the document is larger than ${MAX_DOCUMENT_BYTES} bytes`)] };
  }
  if (source.includes('\u0000')) {
    return { faults: [fault('the document has a NUL character')] };
  }
  if (isTooDeep(source)) {
    return { faults: [fault(`the document is nested deeper than ${MAX_DEPTH} levels`)] };
  }
  const { isMap, isScalar, LineCounter, parseDocument: parseYaml, visit } = loadYaml();
  const lineCounter = new LineCounter();
  const document = parseYaml(source, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: true,
    logLevel: 'silent',
    lineCounter,
  });
  const locate = ({ range }: Pick<Yaml.Node, 'range'>): string =>
    `line ${lineCounter.linePos(range?.[0] ?? 0).line}`;
  const faults = document.errors.map(({ code, pos: [start] }) => {
    const { line, col } = lineCounter.linePos(start);
    return fault(`line ${line}, column ${col}: ${SYNTAX_FAULTS[code] ?? 'not valid YAML'} (${code})`);
  });
  visit(document, {
    Alias: (_key, node) => {
      faults.push(fault(`${locate(node)}: aliases (*) are not allowed; write the value out`));
    },
    Pair: (_key, { key }) => {
      if (isScalar(key) && key.value === '__proto__') {
        faults.push(fault('__proto__ is no name of anything'));
      }
    },
    Node: (_key, node) => {
      if ((node as { readonly anchor?: string }).anchor !== undefined) {
        faults.push(fault(`${locate(node)}: anchors (&) are not allowed; write the value out`));
      }
      if (node.tag !== undefined) {
        faults.push(fault(`${locate(node)}: tags (!) are not allowed; leave it out`));
      }
    },
  });
  if (document.directives.yaml.explicit === true && document.directives.yaml.version !== '1.2') {
    faults.push(fault('the document must be YAML 1.2'));
  }
  if (faults.length > 0) {
    return { faults };
  }
  if (document.contents === null) {
    return { value: {} };
  }
  if (!isMap(document.contents)) {
    return { faults: [fault('the document must be a mapping with models and providers')] };
  }
  return { value: document.toJS({ maxAliasCount: 0 }) };
}

/**
 * Returns true for nesting that no catalog has. The parser calls itself for each level, and V8 ends the whole process when that
 * takes the last of its stack. The lexer keeps a count instead.
 */
function isTooDeep(source: string): boolean {
  let brackets = 0;
  let indicators = 0;
  const { Lexer } = loadYaml();
  for (const token of new Lexer().lex(source)) {
    if (token === '[' || token === '{') {
      brackets += 1;
    } else if (token === ']' || token === '}') {
      brackets -= 1;
    } else if (brackets === 0 && (token === '-' || token === '?' || token === ':')) {
      indicators += 1;
    } else if (token.includes('\n')) {
      indicators = 0;
    }
    const isWide = token.length > MAX_INDENT && /^ +$/.test(token);
    if (brackets > MAX_DEPTH || indicators > MAX_DEPTH || isWide) {
      return true;
    }
  }
  return false;
}

const SYNTAX_FAULTS: Readonly<Record<string, string>> = {
  BAD_INDENT: 'wrong indentation',
  DUPLICATE_KEY: 'the same key twice in one mapping',
  MISSING_CHAR: 'a character is missing, such as a closing quote, bracket or colon',
  MULTIPLE_DOCS: 'several documents in one file',
  TAB_AS_INDENT: 'a tab as indentation; use spaces',
  UNEXPECTED_TOKEN: 'something that does not belong here',
};
