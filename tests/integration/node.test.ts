import { type ChildProcess, execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');
const version = fs.readFileSync(path.join(root, '.nvmrc'), 'utf8').trim();
const files = [
  '.nvmrc',
  'scripts/node.sh',
  ...['check-node', 'install-environment', 'install-node', 'node-package'].map(
    (name) => `scripts/bootstrap/${name}.mjs`,
  ),
];
// npm that brings the Node of this test, and notes each call.
const NPM = `#!/bin/sh
echo "$@" >> "$NOTES"
if [ -n "$FAILS" ]; then echo 'npm error network' >&2; exit 1; fi
while [ "$1" != --prefix ]; do shift; done
for last; do :; done
mkdir -p "$2/node_modules/\${last%@*}/bin"
ln -s "$REAL" "$2/node_modules/\${last%@*}/bin/node"
`;
const OLD_NODE = `#!/bin/sh
if [ "$1" = --version ]; then echo "$OLD"; else exec "$REAL" "$@"; fi
`;

let folder: string;
let env: Record<string, string>;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'node-'));
  for (const file of files) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.copyFileSync(path.join(root, file), path.join(folder, file));
  }
  fs.mkdirSync(path.join(folder, 'bin'));
  fs.writeFileSync(path.join(folder, 'bin/npm'), NPM, { mode: 0o755 });
  fs.writeFileSync(path.join(folder, 'bin/node'), OLD_NODE, { mode: 0o755 });
  env = {
    PATH: `${path.join(folder, 'bin')}:/usr/bin:/bin`,
    HOME: folder,
    REAL: process.execPath,
    OLD: 'v20.19.0',
    NOTES: path.join(folder, 'notes'),
  };
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const run = (args: string[], more: Record<string, string> = {}) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const command = ['scripts/node.sh', ...args];
    execFile('sh', command, { cwd: folder, env: { ...env, ...more } }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
const cached = (): string[] => fs.readdirSync(path.join(folder, '.cache')).sort();

/** Runs a script by this Node, which says that it is another version. */
function runUnder(version: string, script: readonly string[]): Promise<{ code: unknown; stderr: string }> {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const args = [`--import=data:text/javascript,${encodeURIComponent(pretend)}`, ...script];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root }, (error, _stdout, stderr) =>
      resolve({ code: error?.code, stderr }),
    );
  });
}

describe('scripts of npm', () => {
  test('scripts of npm install Node 24 once where Node is too old, say so on standard error, and go on under it', async () => {
    const print = ['-p', 'JSON.stringify([process.argv0, process.env.PATH.split(":")[0]])'];
    const first = await run(print);
    expect(first.stderr).toMatch(
      /^Node\.js \S+ is older than 22\.13: installing Node\.js 24\.\d+\.\d+ into \.cache, once\.\n$/,
    );
    const [, bin] = JSON.parse(first.stdout) as [string, string];
    expect(bin).toBe(
      path.join(
        folder,
        `.cache/node-${version}/node_modules`,
        `node-${process.platform}-${process.arch}`,
        'bin',
      ),
    );
    expect(await run(print)).toEqual({ code: 0, stdout: first.stdout, stderr: '' });
    expect(
      fs
        .readFileSync(env.NOTES ?? '', 'utf8')
        .trim()
        .split('\n'),
    ).toHaveLength(1);
  });

  test('scripts of npm that start together install Node side by side', async () => {
    const results = await Promise.all([1, 2, 3].map((n) => run(['-p', String(n)])));
    expect(results.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, '1\n'],
      [0, '2\n'],
      [0, '3\n'],
    ]);
    expect(cached()).toEqual([`node-${version}`]);
  });

  test('scripts of npm say what to do when Node cannot be installed, and leave nothing behind', async () => {
    const { code, stdout, stderr } = await run(['-p', '1'], { FAILS: 'true' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/Install Node\.js 24\.\d+\.\d+ yourself, and run this again\./);
    expect(cached()).toEqual([]);
  });

  test.each(['v22.13.0', 'v24.0.0', 'v26.10.0'])(
    'scripts of npm run on Node %s as it is',
    async (version) => {
      const { stdout, stderr } = await run(['-p', '1'], { OLD: version });
      expect([stdout, stderr, fs.existsSync(env.NOTES ?? '')]).toEqual(['1\n', '', false]);
    },
  );

  test('scripts of npm replace their shell, so that a signal reaches the program', async () => {
    await run(['-p', '1']);
    const child: ChildProcess = spawn(
      'sh',
      [
        'scripts/node.sh',
        '-e',
        'process.on("SIGTERM", () => process.exit(7)); setInterval(() => {}, 1e6); console.log(process.pid)',
      ],
      { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await eventually(() => expect(output).toBe(`${child.pid}\n`));
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(7);
  });

  test('every script of npm goes through the one that finds Node', () => {
    const { scripts } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    for (const [name, command] of Object.entries(scripts)) {
      expect([name, command]).toEqual([name, expect.stringMatching(/^exec sh scripts\/node\.sh /)]);
    }
  });

  test('scripts of npm and the images run on the same Node, and scripts refuse what package.json does', () => {
    const compose = fs.readFileSync(path.join(root, 'docker/compose.yaml'), 'utf8');
    expect(compose).toContain(`library/node:${version}-bookworm-slim@sha256:`);
    const { engines } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    expect(engines.node).toBe('>=22.13.0');
  });

  test.each(['20.19.0', '22.12.0'])(
    'a script that is run by Node %s itself says what to do instead',
    async (old) => {
      expect(await runUnder(old, ['scripts/start.mjs'])).toEqual({
        code: 1,
        stderr: expect.stringContaining(`Node.js 22.13 or newer is needed; this is ${old}.`),
      });
    },
  );

  test.each(['api', 'generation-worker', 'webhook-worker'])(
    'the process %s does not start under an older Node, such as that of a distribution, and names the program',
    async (app) => {
      expect(await runUnder('22.12.0', ['--import=tsx', `apps/${app}/src/main.ts`])).toEqual({
        code: 1,
        stderr: expect.stringContaining(
          `Node.js 22.13 or newer is needed; this is 22.12.0, from ${process.execPath}.`,
        ),
      });
    },
  );
});
