import type { AccountReads, Statement } from '@image-gateway/shared/db';
import type { UsedModel } from '@image-gateway/shared/usage/schema';
import type { Offers } from '../catalog/create-offers.js';

// Usage stays where tasks were deleted, and failed tasks have none. Both are counted by model, so no task is read.
const LIST_USED_MODELS: Statement = {
  name: 'list-used-models',
  text: `
SELECT model FROM task_counts WHERE account_id = $1 GROUP BY model
UNION SELECT model FROM usage_daily WHERE account_id = $1 GROUP BY model ORDER BY model`,
};

/** Lists the models by which tasks and usage of an account can be filtered: those on offer, and those that it used before. */
export async function listUsedModels(
  db: AccountReads,
  offers: Pick<Offers, 'load'>,
  accountId: string,
): Promise<readonly UsedModel[]> {
  const [{ models }, used] = await Promise.all([
    offers.load(),
    db.run<{ readonly model: string }>(LIST_USED_MODELS, [accountId]),
  ]);
  const offered = models.map(({ id, family }) => ({ id, family, is_offered: true }));
  const known = new Set(offered.map(({ id }) => id));
  const retired = used.filter(({ model }) => !known.has(model));
  return [...offered, ...retired.map(({ model: id }) => ({ id, family: null, is_offered: false }))];
}
