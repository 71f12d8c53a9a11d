import { readFileSync } from 'node:fs';
import { ConfigError } from './load-settings.js';
import { addSentinelLogIn } from './parse-redis-url.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Names of secrets, and of addresses that contain one. `CATALOG_FILE` and its like name files themselves. */
const FILE_OF_SECRET = /^([A-Z][A-Z0-9_]*_(?:KEYS?|SECRET|PASSWORD|URL|TOKEN|HEADERS|PROXY))_FILE$/;

/**
 * Returns the environment with secrets from files: `NAME_FILE` names the file of `NAME`. The log-in of Sentinels goes into `REDIS_URL`.
 * Throws ConfigError that lists every fault.
 */
export function readEnvironment(env: Env): Env {
  const faults: string[] = [];
  const read: Record<string, string> = {};
  for (const [name, file] of Object.entries(env)) {
    const [, secret] = FILE_OF_SECRET.exec(name) ?? [];
    if (secret === undefined || !file?.trim()) {
      continue;
    }
    if (env[secret]?.trim()) {
      faults.push(`${secret} and ${name} are both set: keep one of them`);
      continue;
    }
    try {
      read[secret] = readFileSync(file.trim(), 'utf8').trim();
    } catch (error) {
      faults.push(`${name} names a file that cannot be read: ${(error as Error).message}`);
    }
  }
  if (faults.length > 0) {
    throw new ConfigError(faults);
  }
  const complete: Env = { ...env, ...read };
  const { REDIS_URL: url, REDIS_SENTINEL_USERNAME: username, REDIS_SENTINEL_PASSWORD: password } = complete;
  return url === undefined
    ? complete
    : { ...complete, REDIS_URL: addSentinelLogIn(url, { username, password }) };
}
