import path from 'node:path';
import { findFreePort } from '../net/ports.js';
import { readJson, writePrivateJson } from './private-json.js';

/** Name of an embedded service. */
export type ServiceName = 'postgres' | 'redis' | 's3';

/** Returns the port that a service had the last time when it is free; else a new one, which is kept. */
export async function reservePort(dataDir: string, service: ServiceName): Promise<number> {
  const file = path.join(dataDir, 'ports.json');
  const last = readJson<Partial<Record<ServiceName, number>>>(file)?.[service];
  const port = last === undefined ? await findFreePort() : await findFreePort(last);
  // Read again: another service may have written meanwhile.
  if (port !== last) {
    writePrivateJson(file, { ...readJson<object>(file), [service]: port });
  }
  return port;
}
