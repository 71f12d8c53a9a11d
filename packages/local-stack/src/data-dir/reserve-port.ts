import path from 'node:path';
import { findFreePort, isPortTaken } from '../net/ports.js';
import { StackError } from '../stack-error.js';
import { readJson, writePrivateJson } from './private-json.js';

/** Name of an embedded service. */
export type ServiceName = 'postgres' | 'redis' | 's3';

/** Port of an embedded service. */
export interface HeldPort {
  readonly get: () => number;
  /**
   * Makes sure, before a start of the service, that no other program has the port. While nobody knows it, another one takes its place.
   * Afterwards it rejects with StackError: the apps were started with it.
   */
  readonly prepare: () => Promise<number>;
  /** Called once the service responds and its port is told to others. */
  readonly settle: () => void;
}

/** Takes the port of the last run of a service if it is free, else a new one, which the data folder remembers. */
export async function holdPort(
  dataDir: string,
  service: ServiceName,
  onLost: (error: StackError) => void,
): Promise<HeldPort> {
  let port = await reservePort(dataDir, service);
  let isSettled = false;
  return {
    get: () => port,
    async prepare() {
      if (!(await isPortTaken(port))) {
        return port;
      }
      if (isSettled) {
        const error = new StackError(
          `Another program took port ${port} while ${service} was down. Start again: ${service} then gets another port.`,
        );
        onLost(error);
        throw error;
      }
      port = await reservePort(dataDir, service);
      return port;
    },
    settle: () => {
      isSettled = true;
    },
  };
}

async function reservePort(dataDir: string, service: ServiceName): Promise<number> {
  const file = path.join(dataDir, 'ports.json');
  const last = readJson<Partial<Record<ServiceName, number>>>(file)?.[service];
  const port = last === undefined ? await findFreePort() : await findFreePort(last);
  // Reads the file again, because another service may have written it meanwhile.
  if (port !== last) {
    writePrivateJson(file, { ...readJson<object>(file), [service]: port });
  }
  return port;
}
