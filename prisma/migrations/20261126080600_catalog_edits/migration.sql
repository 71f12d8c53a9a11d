-- AlterTable
ALTER TABLE "catalog_versions" ADD COLUMN     "rollback_of" INTEGER;

-- The rest is written by hand: the schema language has no words for it.

ALTER TABLE "catalog_versions"
  DROP CONSTRAINT "catalog_versions_origin",
  ADD CONSTRAINT "catalog_versions_origin" CHECK (origin IN ('built-in', 'file', 'cli', 'edit', 'page'));
