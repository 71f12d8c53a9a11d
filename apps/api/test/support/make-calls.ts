import { readBuiltInCatalog } from '@image-gateway/shared/catalog/document';
import { createTestTask, type TestAccount, type TestDatabase } from '@image-gateway/testing';

/** Calls to make. */
export interface CallsMade {
  readonly detail: string | null;
  readonly times?: number;
  readonly of: TestAccount;
  readonly provider?: string;
  readonly model?: string;
  readonly key?: string;
  /** SQL expression. */
  readonly at?: string;
}

/** Makes calls that have ended, as a worker writes them. */
export async function makeCalls(
  database: TestDatabase,
  { detail, times = 1, of, provider = 'gemini', model = 'image-1', key = 'f1', at = 'now()' }: CallsMade,
): Promise<void> {
  const { id } = await createTestTask(database.db, of);
  await database.pool.query(
    `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros, key_fingerprint, created_at)
     SELECT $1 || i, $1, 1, $2, $3, 1, '{0}', 'started', 0, $4, ${at} FROM generate_series(1, $5::int) i`,
    [id, provider, model, key, times],
  );
  await database.pool.query(
    'UPDATE provider_calls SET state = $2, detail = $3, finished_at = now() WHERE task_id = $1',
    [id, detail === null ? 'succeeded' : detail === 'moderation' ? 'refused' : 'failed', detail],
  );
}

const [builtInRoute] = readBuiltInCatalog().models.get('nanobanana')?.routes ?? [];
const [builtInModel] = readBuiltInCatalog().models.values();
if (!builtInRoute || !builtInModel) {
  throw new Error('the built-in catalog has no model with a route');
}
/** Catalog with one model on offer that has these routes. */
export const routedBy = (...routes: readonly (readonly [provider: string, model: string])[]) => ({
  models: new Map([
    [
      'm',
      {
        ...builtInModel,
        id: 'm',
        routes: routes.map(([provider, model]) => ({ ...builtInRoute, provider, model })),
      },
    ],
  ]),
});
/** Catalog with the routes that tests call. */
export const ROUTED = routedBy(['gemini', 'image-1'], ['gemini', 'image-2'], ['fal', 'image-1']);
