import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { readJson, writePrivateJson } from './private-json.js';

export interface Secrets {
  postgresPassword: string;
  redisPassword: string;
  s3AccessKey: string;
  s3SecretKey: string;
  authSecret: string;
}

const names = ['postgresPassword', 'redisPassword', 's3AccessKey', 's3SecretKey', 'authSecret'] as const;

/** The secrets of this data folder, each made once (192 random bits) and kept where only the owner reads them. */
export function keepSecrets(dataDir: string): Secrets {
  const file = path.join(dataDir, 'secrets.json');
  const kept = readJson<Partial<Secrets>>(file) ?? {};
  const all = Object.fromEntries(names.map((name) => [name, kept[name] ?? randomBytes(24).toString('hex')]));
  if (names.some((name) => kept[name] === undefined)) writePrivateJson(file, all);
  return all as unknown as Secrets;
}
