import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { installEnvironment } from '../../scripts/bootstrap/install-environment.mjs';

describe('the environment of an installation', () => {
  const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'install-'));
  afterAll(() => fs.rmSync(cache, { recursive: true }));

  test('the environment of an installation does not depend on how npm was called or on NODE_ENV', () => {
    const env = installEnvironment(
      {
        HOME: cache,
        NODE_ENV: 'production',
        npm_config_omit: 'dev',
        npm_config_ignore_scripts: 'true',
        npm_config_prefix: '/elsewhere',
        npm_lifecycle_event: 'start',
        PATH: '/usr/bin',
      },
      cache,
    );
    expect(
      Object.keys(env).filter((name) => /omit|ignore_scripts|prefix|lifecycle|NODE_ENV/.test(name)),
    ).toEqual([]);
    expect(env).toMatchObject({ HOME: cache, PATH: '/usr/bin' });
  });

  test('the environment of an installation keeps where packages come from', () => {
    const registry = {
      npm_config_registry: 'https://mirror.example/',
      npm_config_cafile: '/ca.pem',
      HTTPS_PROXY: 'http://proxy',
    };
    expect(installEnvironment({ HOME: cache, ...registry }, cache)).toMatchObject(registry);
  });

  test('the environment of an installation gives a user without a home folder the package caches in the cache folder of the project', () => {
    const file = path.join(cache, 'file');
    fs.writeFileSync(file, '');
    const env = installEnvironment({ HOME: path.join(file, 'home') }, cache);
    for (const name of ['HOME', 'XDG_DATA_HOME', 'npm_config_cache']) {
      expect(env[name]).toContain(cache);
    }
  });
});
