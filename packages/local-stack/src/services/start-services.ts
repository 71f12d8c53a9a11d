import type { ServiceName } from '../files/kept-ports.js';
import { keepSecrets } from '../files/secrets.js';
import type { RunningService, ServiceContext } from './service-context.js';
import { startPostgres } from './start-postgres.js';
import { startRedis } from './start-redis.js';

export interface RunningServices {
  postgres?: RunningService;
  redis?: RunningService;
}

/** Starts the named services side by side, with the secrets and the ports of the data folder, and waits until all of them answer. */
export async function startServices(
  context: ServiceContext,
  wanted: ReadonlySet<ServiceName>,
): Promise<RunningServices> {
  const secrets = keepSecrets(context.dataDir);
  const [postgres, redis] = await Promise.all([
    wanted.has('postgres') ? startPostgres(context, secrets.postgresPassword) : undefined,
    wanted.has('redis') ? startRedis(context, secrets.redisPassword) : undefined,
  ]);
  return { ...(postgres && { postgres }), ...(redis && { redis }) };
}
