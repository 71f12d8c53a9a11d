import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Finds a Prometheus on PATH or in the cache of `scripts/check-deploy.mjs --install`; null when there is none, or FAULTS_ALERTS
 * is `off`.
 */
export function findPrometheus(): string | null {
  const { PATH = '', DEPLOY_TOOLS_DIR, XDG_CACHE_HOME, FAULTS_ALERTS } = process.env;
  if (FAULTS_ALERTS === 'off') {
    return null;
  }
  const cache = path.join(XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'image-gateway/deploy-tools');
  const folders = [DEPLOY_TOOLS_DIR || cache, ...PATH.split(path.delimiter)];
  return folders.map((folder) => path.join(folder, 'prometheus')).find((file) => existsSync(file)) ?? null;
}
