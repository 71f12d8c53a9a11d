import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sharedSettings } from '@image-gateway/shared/config';
import { describe, expect, test } from '@jest/globals';

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const namesIn = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? '')),
];

const compose = read('docker/compose.yaml');
const dockerfile = read('docker/node.Dockerfile');
const documented = namesIn(read('.env.example'), /^(?:# )?([A-Z][A-Z0-9_]+)=/gm);

describe('the compose file', () => {
  test('the compose file holds to the compose schema and has no warning', () => {
    const args = ['node_modules/dclint/bin/dclint.cjs', '--max-warnings', '0', 'docker/compose.yaml'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    expect({ status, stdout: stdout.trim(), stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('the compose file reads only variables that .env.example explains', () => {
    const used = namesIn(compose, /\$\{([A-Z][A-Z0-9_]*)/g);
    expect(used.length).toBeGreaterThan(30);
    expect(used.filter((name) => !documented.includes(name))).toEqual([]);
  });

  test('the compose file starts with no secret missing: each is required, with a message, and has no default', () => {
    const required = namesIn(compose, /\$\{([A-Z][A-Z0-9_]*):\?set \1 in \.env\}/g);
    const databases = ['POSTGRES_APP_PASSWORD', 'POSTGRES_PASSWORD', 'REDIS_PASSWORD'];
    expect(required.sort()).toEqual(['AUTH_SECRET', ...databases, 'S3_ACCESS_KEY', 'S3_SECRET_KEY']);
    expect(namesIn(compose, /\$\{([A-Z_]*(?:PASSWORD|SECRET|ACCESS_KEY)[A-Z_]*):-/g)).toEqual([]);
  });

  test('the compose file names only targets that the Dockerfile has', () => {
    const targets = namesIn(compose, /target: ([a-z-]+)$/gm);
    expect(targets.sort()).toEqual(['api', 'generation-worker', 'migrate', 'webhook-worker']);
    expect(namesIn(dockerfile, /^FROM \S+ AS (\S+)$/gm)).toEqual(expect.arrayContaining(targets));
  });
});

test('.env.example explains every setting that processes share', () => {
  expect(Object.keys(sharedSettings).filter((name) => !documented.includes(name))).toEqual([]);
});

test('.env.example has a line of explanation above every setting', () => {
  const lines = read('.env.example').split('\n');
  const bare = lines.filter(
    (line, i) => /^(# )?[A-Z][A-Z0-9_]+=/.test(line) && !/^# \S.*[.:,]/.test(lines[i - 1] ?? ''),
  );
  expect(bare).toEqual([]);
});

test('the image that migrates holds the versions that the repository is developed with', () => {
  const { dependencies } = JSON.parse(read('docker/migrate/package.json')) as {
    dependencies: Record<string, string>;
  };
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
  expect(devDependencies).toMatchObject(dependencies);
});
