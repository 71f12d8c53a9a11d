import type Joi from 'joi';
import { QUALITIES } from '../../contract/index.js';
import type { CatalogDocument } from './catalog-document.js';
import type { CatalogFault } from './catalog-fault.js';
import { documentSchema, listFields } from './document-schema.js';

/** Faults of the fields of a document, and what is left of it without the faulty fields. */
export interface CheckedShape {
  readonly document: CatalogDocument;
  readonly faults: readonly CatalogFault[];
  /** Paths of faulty values; unknown fields are not among them, because nothing depends on them. */
  readonly faultyPaths: readonly string[];
}

/** Checks names, types and ranges of all fields. Faulty fields are left out of the document, so that the rest can be checked too. */
export function checkShape(value: unknown): CheckedShape {
  const { error } = documentSchema.validate(value, {
    abortEarly: false,
    convert: false,
    errors: { wrap: { label: false } },
  });
  const details = error?.details ?? [];
  const document = structuredClone(value);
  // From the last to the first, because removing an item of a list moves those behind it.
  for (const { path } of [...details].reverse()) {
    remove(document, path);
  }
  return {
    document: document as CatalogDocument,
    faults: details.map(toFault),
    faultyPaths: details.filter(({ type }) => type !== 'object.unknown').map(({ path }) => path.join('.')),
  };
}

function remove(document: unknown, path: readonly (string | number)[]): void {
  let parent = document;
  for (const step of path.slice(0, -1)) {
    parent = (parent as Record<string, unknown> | undefined)?.[step];
  }
  const last = path.at(-1);
  if (last === undefined || typeof parent !== 'object' || parent === null) {
    return;
  }
  if (Array.isArray(parent)) {
    parent.splice(Number(last), 1);
  } else {
    delete (parent as Record<string, unknown>)[last];
  }
}

function toFault(detail: Joi.ValidationErrorItem): CatalogFault {
  const path = detail.path.join('.');
  if (detail.type === 'object.unknown') {
    return { path, message: describeUnknown(detail.path) };
  }
  const { label } = detail.context as { readonly label?: string };
  const message = detail.message.startsWith(`${label} `)
    ? detail.message.slice(`${label} `.length)
    : detail.message;
  return { path, message };
}

function describeUnknown(path: readonly (string | number)[]): string {
  const [section, , field] = path;
  const possible = (names: readonly string[]) => `unknown field; possible: ${names.join(', ')}`;
  if (path.length === 1) {
    return possible(listFields('document'));
  }
  if (path.length === 2) {
    return 'the name must be 1 to 64 of a-z, 0-9, ".", "_" and "-", beginning with a letter or a digit';
  }
  if (section === 'providers' && path.length > 3) {
    return 'unknown field';
  }
  if (path.length === 3) {
    return possible(listFields(section === 'providers' ? 'provider' : 'model'));
  }
  if (field === 'routes' && path.length === 5) {
    return possible(listFields('route'));
  }
  if (path.at(-2) === 'accepts') {
    return possible(listFields('accepts'));
  }
  if (path.at(-3) === 'price' || path.at(-3) === 'cost') {
    return `unknown quality; possible: ${QUALITIES.join(', ')}`;
  }
  return path.at(-2) === 'sizes' ? 'unknown aspect ratio' : 'unknown resolution; possible: 1k, 2k, 4k';
}
