import { stringify } from 'yaml';
import type { CatalogDocument } from './catalog-document.js';

/** Writes a document as YAML text. */
export function formatDocument(document: CatalogDocument): string {
  return stringify(document, { version: '1.2', lineWidth: 0, aliasDuplicateObjects: false });
}
