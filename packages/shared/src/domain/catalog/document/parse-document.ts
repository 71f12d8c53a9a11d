import { isMap, isScalar, parseDocument as parseYaml, visit } from 'yaml';
import type { CatalogFault } from './catalog-fault.js';

/** Maximum size of the text of a catalog document in bytes. */
export const MAX_DOCUMENT_BYTES = 1024 * 1024;

/** Value of a parsed text, or the faults of its syntax. */
export type ParsedDocument = { readonly value: unknown } | { readonly faults: readonly CatalogFault[] };

/** Parses a document as YAML 1.2 (or JSON) without anchors, aliases and tags. An empty text is an empty document. */
export function parseDocument(source: string): ParsedDocument {
  if (Buffer.byteLength(source) > MAX_DOCUMENT_BYTES) {
    return { faults: [{ path: '', message: `the document is larger than ${MAX_DOCUMENT_BYTES} bytes` }] };
  }
  if (source.includes('\u0000')) {
    return { faults: [{ path: '', message: 'the document has a NUL character' }] };
  }
  const document = parseYaml(source, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: true,
    logLevel: 'silent',
  });
  const faults = document.errors.map(({ message }) => ({ path: '', message: firstLine(message) }));
  visit(document, {
    Alias: (_key, node) => {
      faults.push({ path: '', message: `aliases are not allowed (*${node.source}); write the value out` });
    },
    Pair: (_key, { key }) => {
      if (isScalar(key) && key.value === '__proto__') {
        faults.push({ path: '', message: '__proto__ is no name of anything' });
      }
    },
    Node: (_key, node) => {
      const { anchor } = node as { readonly anchor?: string };
      if (anchor !== undefined) {
        faults.push({ path: '', message: `anchors are not allowed (&${anchor}); write the value out` });
      }
      if (node.tag !== undefined) {
        faults.push({ path: '', message: `tags are not allowed (${node.tag}); leave it out` });
      }
    },
  });
  if (document.directives.yaml.explicit === true && document.directives.yaml.version !== '1.2') {
    faults.push({ path: '', message: 'the document must be YAML 1.2' });
  }
  if (faults.length > 0) {
    return { faults };
  }
  if (document.contents === null) {
    return { value: {} };
  }
  if (!isMap(document.contents)) {
    return { faults: [{ path: '', message: 'the document must be a mapping with models and providers' }] };
  }
  return { value: document.toJS({ maxAliasCount: 0 }) };
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? message).replace(/:$/, '');
}
