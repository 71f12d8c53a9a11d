import { listProvidersInUse } from '@image-gateway/shared/catalog/document';
import { addLook, listLookedAt, takeSweepTurn } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { checkProvider } from '@image-gateway/shared/upstream-checks';
import { chooseProviders, type ProviderChoice } from '@image-gateway/shared/upstreams';
import type { CheckSettings } from '../env.js';
import { type CheckDeps, readPlaces } from './run-check.js';

/** Dependencies of the daily look. */
export interface LookDeps extends Pick<CheckDeps, 'db' | 'logger' | 'signal'> {
  readonly settings: CheckSettings & ProviderChoice;
}

/** Longer than a look takes; another worker goes on after it where the first one was killed. */
const TURN_MS = 600_000;

/** Asks each provider in use once a day, by its free call, which of its models end. One worker does it for all. */
export async function lookForEnds({ db, settings: own, logger, signal }: LookDeps): Promise<void> {
  if (!(await takeSweepTurn(db, { name: 'look-for-ends', everyMs: TURN_MS }))) {
    return;
  }
  const { catalog, settings, readKeys } = await readPlaces(db, own);
  const { names } = listProvidersInUse(catalog, chooseProviders(settings), readKeys);
  const known = await listLookedAt(db);
  for (const provider of names.filter((name) => !known.includes(name))) {
    signal.throwIfAborted();
    const { ends, ...result } = await checkProvider(provider, { catalog, settings, readKeys });
    await addLook(db, { id: newId('chk'), provider, result: { ...result, ends, models: null } });
    logger.info('a provider was asked which of its models end', { provider, ends: ends?.length ?? null });
  }
}
