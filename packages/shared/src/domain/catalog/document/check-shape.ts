import type Joi from 'joi';
import type { CatalogFault } from './catalog-fault.js';
import type { CatalogDocument } from './document-schema.js';
import { documentSchema } from './document-schema.js';

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

function toFault({ path, context, message }: Joi.ValidationErrorItem): CatalogFault {
  const label = `${context?.label} `;
  return { path: path.join('.'), message: message.startsWith(label) ? message.slice(label.length) : message };
}
