import { startPgBouncer } from '@image-gateway/testing';
import { type LabServices, startServices } from './start-services.js';

/** Starts the services of the laboratory with PgBouncer between the product and PostgreSQL; the laboratory itself looks past it. */
export async function startPooledServices(
  signal: AbortSignal,
  mode: 'session' | 'transaction',
): Promise<LabServices> {
  const services = await startServices(signal);
  const pooler = await startPgBouncer(services.database.url, mode);
  return {
    ...services,
    database: { ...services.database, url: pooler.url },
    stop: async () => {
      await pooler.stop();
      await services.stop();
    },
  };
}
