import type { Secrets } from '../data-dir/load-secrets.js';
import type { ServiceName } from '../data-dir/reserve-port.js';
import type { RunningService, ServiceContext } from './service-context.js';
import { type RunningPostgres, startPostgres } from './start-postgres.js';
import { startRedis } from './start-redis.js';
import { type RunningS3, type S3Access, startS3Service } from './start-s3-service.js';

/** Services that were started here. */
export interface RunningServices {
  readonly postgres?: RunningPostgres;
  readonly redis?: RunningService;
  readonly s3?: RunningS3;
}

/** Starts the named services side by side and waits until all of them respond. */
export async function startServices(
  context: ServiceContext,
  wanted: ReadonlySet<ServiceName>,
  { secrets, s3Access }: { secrets: Secrets; s3Access: S3Access },
): Promise<RunningServices> {
  const [postgres, redis, s3] = await Promise.all([
    wanted.has('postgres') ? startPostgres(context, secrets.postgresPassword) : undefined,
    wanted.has('redis') ? startRedis(context, secrets.redisPassword) : undefined,
    wanted.has('s3') ? startS3Service(context, s3Access) : undefined,
  ]);
  return { ...(postgres && { postgres }), ...(redis && { redis }), ...(s3 && { s3 }) };
}
