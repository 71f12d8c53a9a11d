import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// npm passes on its whole configuration as npm_config_*. The sources of packages apply here as well; options of the call of npm
// (omit, prefix, workspace, ignore-scripts, …) would change the installation.
const kept = new Set(
  [
    'registry',
    'proxy',
    'https_proxy',
    'http_proxy',
    'noproxy',
    'no_proxy',
    'cafile',
    'ca',
    'strict_ssl',
    'cache',
    'userconfig',
    'globalconfig',
  ].map((name) => `npm_config_${name}`),
);
const foreign = (name) =>
  /^(npm|pnpm)_/i.test(name) && !kept.has(name.toLowerCase()) && !/^npm_config_(\/\/|@)/i.test(name);

/** Returns the home folder of the user; null for a user unknown to the system. */
function findHome(env) {
  try {
    return env.HOME || os.homedir();
  } catch {
    return null;
  }
}

function isWritable(folder) {
  try {
    fs.mkdirSync(folder, { recursive: true });
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Builds the environment of the installation of dependencies, without NODE_ENV, CI and npm options of the caller. A user
 * without a writable home folder gets the package caches in the cache folder of the project.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} cacheFolder
 * @returns {NodeJS.ProcessEnv}
 */
export function installEnvironment(env, cacheFolder) {
  const own = Object.fromEntries(
    Object.entries(env).filter(([name]) => !foreign(name) && name !== 'NODE_ENV' && name !== 'INIT_CWD'),
  );
  const result = { ...own, CI: 'true', npm_config_update_notifier: 'false', npm_config_loglevel: 'error' };
  const given = findHome(env);
  if (given !== null && isWritable(given)) {
    return result;
  }
  const home = path.join(cacheFolder, 'home');
  fs.mkdirSync(home, { recursive: true });
  const folders = {
    XDG_DATA_HOME: 'data',
    XDG_CACHE_HOME: 'cache',
    XDG_STATE_HOME: 'state',
    XDG_CONFIG_HOME: 'config',
  };
  const xdg = Object.fromEntries(
    Object.entries(folders).map(([name, folder]) => [name, path.join(home, folder)]),
  );
  return { ...result, ...xdg, HOME: home, npm_config_cache: path.join(home, 'npm') };
}
