import path from 'node:path';
import { findFreePort } from '../net/ports.js';
import { readJson, writePrivateJson } from './private-json.js';

/** Name of an embedded service. */
export type ServiceName = 'postgres' | 'redis' | 's3';

/** Returns the port of the last run of a service if it is free, else a new one, and stores it. */
export async function reservePort(dataDir: string, service: ServiceName): Promise<number> {
  const file = path.join(dataDir, 'ports.json');
  const last = readJson<Partial<Record<ServiceName, number>>>(file)?.[service];
  const port = last === undefined ? await findFreePort() : await findFreePort(last);
  // Reads the file again, because another service may have written it meanwhile.
  if (port !== last) {
    writePrivateJson(file, { ...readJson<object>(file), [service]: port });
  }
  return port;
}
