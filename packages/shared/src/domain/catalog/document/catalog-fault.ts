/** Fault or warning of a catalog document: where it is, what is wrong and what is possible instead. */
export interface CatalogFault {
  /** Dotted path such as `models.flux.price.4k`; empty for the document itself. */
  readonly path: string;
  readonly message: string;
}

/** Writes a fault as one line. */
export function formatFault({ path, message }: CatalogFault): string {
  return path === '' ? message : `${path}: ${message}`;
}
