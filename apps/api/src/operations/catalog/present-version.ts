import type { VersionItem } from './list-versions.js';

/** Presents a version of the catalog. */
export function presentVersion({ id, origin, note, createdBy, createdAt, digest }: VersionItem) {
  const created_at = createdAt.toISOString();
  return { version: id, origin, note, created_by: createdBy, created_at, digest };
}
