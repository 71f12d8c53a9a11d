import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sharedSettings } from '@image-gateway/shared/config';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

interface Service {
  readonly build?: { readonly args: Record<string, string> };
  readonly image?: string;
  readonly environment: Record<string, string>;
  readonly networks?: readonly string[];
  readonly mem_limit?: string;
  readonly cap_drop?: readonly string[];
  readonly read_only?: boolean;
  readonly security_opt?: readonly string[];
}

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const namesIn = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? '')),
];

const compose = read('docker/compose.yaml');
const { services } = parse(compose, { merge: true }) as { services: Record<string, Service> };
const dockerfile = read('docker/node.Dockerfile');
const documented = namesIn(read('.env.example'), /^(?:# )?([A-Z][A-Z0-9_]+)=/gm);

describe('the compose file', () => {
  test('the compose file holds to the compose schema and has no warning', () => {
    const args = ['node_modules/dclint/bin/dclint.cjs', '--max-warnings', '0', 'docker'];
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
    const stores = ['S3_ACCESS_KEY', 'S3_ROOT_PASSWORD', 'S3_SECRET_KEY'];
    expect([...required].sort()).toEqual(['AUTH_SECRET', ...databases, ...stores].sort());
    expect(namesIn(compose, /\$\{([A-Z_]*(?:PASSWORD|SECRET|ACCESS_KEY)[A-Z_]*):-/g)).toEqual([]);
  });

  test('the compose file names only targets that the Dockerfile has', () => {
    const targets = namesIn(compose, /target: ([a-z-]+)$/gm);
    expect(targets.sort()).toEqual(['api', 'generation-worker', 'migrate', 'webhook-worker']);
    expect(namesIn(dockerfile, /^FROM \S+ AS (\S+)$/gm)).toEqual(expect.arrayContaining(targets));
  });
});

describe('services of the compose file', () => {
  const all = Object.entries(services);
  const listNames = (are: (service: Service) => boolean): string[] =>
    all.flatMap(([name, service]) => (are(service) ? [name] : [])).sort();

  test('services of the compose file name each image of others by its digest', () => {
    const named = all.flatMap(([, { image, build }]) => (build ? Object.values(build.args) : [image ?? '']));
    expect(named.length).toBe(all.length);
    expect(
      named.filter(
        (image) =>
          !/:\d+\.\d+\.\d+\S*@sha256:[0-9a-f]{64}\}?$|:18\.\d+-bookworm@sha256:[0-9a-f]{64}$/.test(image),
      ),
    ).toEqual([]);
  });

  test('services of the compose file that can be built here are pulled by registry and version', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const built = all.filter(([, { build }]) => build !== undefined);
    const prefix = `\${IMAGE_REGISTRY:-ghcr.io/image-gateway}/image-gateway-`;
    const suffix = `:\${IMAGE_VERSION:-${version}}`;
    const isNamed = (image = ''): boolean => image.startsWith(prefix) && image.endsWith(suffix);
    expect(built.filter(([, { image }]) => !isNamed(image)).map(([name]) => name)).toEqual([]);
  });

  test('services of the compose file have a limit of memory each, and can gain no privileges', () => {
    expect(listNames(({ mem_limit }) => !/^\d+[gm]$/.test(mem_limit ?? ''))).toEqual([]);
    expect(listNames(({ security_opt = [] }) => !security_opt.includes('no-new-privileges:true'))).toEqual(
      [],
    );
  });

  test('services of the compose file that are built here have no capability and a read-only file system', () => {
    const built = ({ build }: Service) => build !== undefined;
    expect(listNames(built).length).toBeGreaterThan(7);
    expect(listNames((service) => built(service) && service.cap_drop?.join() !== 'ALL')).toEqual([]);
    expect(listNames((service) => built(service) && service.read_only !== true)).toEqual([]);
  });

  test('services of the compose file that know the root of a store are the store and the one that makes its user', () => {
    const knows = (name: string) => listNames(({ environment }) => name in environment);
    expect(knows('ROOT_SECRET_KEY')).toEqual(['store', 'store-user']);
    expect(knows('POSTGRES_PASSWORD')).toEqual(['postgres']);
    const ownsTables = ({ environment }: Service) =>
      [environment.DATABASE_URL, environment.DIRECT_URL].some((url) => url?.includes('POSTGRES_PASSWORD'));
    expect(listNames((service) => ownsTables(service) === true)).toEqual(['migrate']);
    expect(services['store-user']?.networks).toEqual(['inside']);
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
