import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { readJson, writePrivateJson } from './private-json.js';

/** Secrets of a data folder. */
export interface Secrets {
  readonly postgresPassword: string;
  readonly redisPassword: string;
  readonly s3AccessKey: string;
  readonly s3SecretKey: string;
  readonly authSecret: string;
  /** 32 bytes in base64. */
  readonly encryptionKey: string;
}

const NAMES = [
  'postgresPassword',
  'redisPassword',
  's3AccessKey',
  's3SecretKey',
  'authSecret',
  'encryptionKey',
] as const;

const make = (name: (typeof NAMES)[number]): string =>
  name === 'encryptionKey' ? randomBytes(32).toString('base64') : randomBytes(24).toString('hex');

/** Loads the secrets of the data folder; missing ones are created (at least 192 random bits) and stored for the owner alone. */
export function loadSecrets(dataDir: string): Secrets {
  const file = path.join(dataDir, 'secrets.json');
  const kept = readJson<Partial<Secrets>>(file) ?? {};
  const all = Object.fromEntries(NAMES.map((name) => [name, kept[name] ?? make(name)]));
  if (NAMES.some((name) => kept[name] === undefined)) {
    writePrivateJson(file, all);
  }
  return all as unknown as Secrets;
}
