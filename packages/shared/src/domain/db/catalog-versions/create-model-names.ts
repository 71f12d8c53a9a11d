import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

/** Ids of all models of all catalog versions, offered once or now. */
export interface ModelNames {
  /** Reads the versions up to this one that were not read yet. */
  readonly readUpTo: (version: number) => Promise<void>;
  /** Returns true for a model of any version, and for every name before the first version is read. */
  readonly has: (id: string) => boolean;
}

const FIND_MODEL_NAMES: Statement = {
  name: 'find-model-names',
  text: `
SELECT DISTINCT jsonb_object_keys(CASE jsonb_typeof(document -> 'models') WHEN 'object' THEN document -> 'models' ELSE '{}' END) AS id
  FROM catalog_versions WHERE id > $1 AND id <= $2`,
};

/** Creates the collection of model ids; a filter by a model that was removed from the catalog still finds its tasks. */
export function createModelNames(db: Pick<Database, 'run'>): ModelNames {
  const names = new Set<string>();
  let known = 0;
  return {
    readUpTo: async (version) => {
      const rows = await db.run<{ readonly id: string }>(FIND_MODEL_NAMES, [known, version]);
      for (const { id } of rows) {
        names.add(id);
      }
      known = Math.max(known, version);
    },
    has: (id) => known === 0 || names.has(id),
  };
}
