import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

// The commands .ci/run and .ci/long themselves, over a project whose checks and tests are only said to have run.
const STUBS = ['biome', 'eslint', 'tsc', 'depcruise', 'knip', 'dclint'];
const says = (text: string): string => `console.log(${JSON.stringify(text)});`;
const files: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'x' }),
  '.gitignore': 'node_modules/\n',
  'scripts/node.sh': fs.readFileSync(path.join(repositoryRoot(), 'scripts/node.sh'), 'utf8'),
  'scripts/prepare.mjs': `import fs from 'node:fs';
    fs.mkdirSync('node_modules/.bin', { recursive: true });
    for (const name of ${JSON.stringify(STUBS)})
      fs.writeFileSync('node_modules/.bin/' + name, '#!/bin/sh\\n', { mode: 0o755 });
    console.log('HOME', process.env.HOME, 'umask', process.umask().toString(8));`,
  'scripts/db-check.mjs': '',
  'scripts/check-deploy.mjs': '',
  'scripts/check-house.mjs': '',
  'scripts/build-object-stores.mjs': '',
  'scripts/tests.mjs': says('Tests:       3 passed, 3 total\nTests:       \x1b[32m4 passed\x1b[39m, 4 total'),
  'scripts/test-rest.mjs': says('Tests:       2 passed, 2 total'),
  'scripts/test-variants.mjs': says('Tests:       1 skipped, 5 passed, 6 total'),
  'scripts/test-upgrade.mjs': `console.log('History', process.env.RELEASES_REPOSITORY, process.argv.slice(2).join(' '));
    ${says('Tests:       2 passed, 2 total')}`,
  'scripts/test-security.mjs': says('All is well'),
  'scripts/test-faults.mjs': says('All is well'),
  'scripts/test-mutants.mjs': says('All is well'),
  '.ci/newest-clients': `#!/bin/sh\necho 'Tests:       6 passed, 6 total'\n`,
  '.ci/client-runtimes': `#!/bin/sh\necho 'Tests:       2 passed, 2 total'\n`,
  '.ci/generated-clients': `#!/bin/sh\necho 'Tests:       3 passed, 3 total'\n`,
  '.ci/litellm': `#!/bin/sh\necho 'Tests:       8 passed, 8 total'\n`,
  '.ci/client-packages': `#!/bin/sh\necho 'Tests:       1 passed, 1 total'\n`,
  '.ci/rehearsal': `#!/bin/sh\necho 'Tests:       7 passed, 7 total'\n`,
  '.ci/mcp': `#!/bin/sh\necho 'Tests:       2 passed, 2 total'\n`,
  'scripts/docs-site.mjs': says('All is well'),
  'scripts/docs-commands.mjs': says('All is well'),
  'scripts/bench.mjs': says('All is well'),
  'docker/test-build.sh': '#!/bin/sh\necho built\n',
  // Starting npm itself costs half a second, and it is started a hundred times here.
  'bin/npm': `#!/bin/sh
    [ "$1" = run ] && shift
    [ "$1" = --silent ] && shift
    case $1 in test) file=tests ;; bench) file=bench ;; test:*) file=test-\${1#test:} ;; object-stores:build) file=build-object-stores ;; esac
    shift
    [ "$1" = -- ] && shift
    exec node "scripts/$file.mjs" "$@"`,
  // No engine, whatever this machine has.
  'bin/docker': '#!/bin/sh\nexit 1\n',
};
/** Adds a program to the preparation of the project. */
const writeProgram = (name: string, lines: string): string =>
  `fs.writeFileSync('node_modules/.bin/${name}', ${JSON.stringify(`#!/bin/sh
${lines}
`)}, { mode: 0o755 });`;
const MANY_PROGRAMS_MS = 120_000;
let folder: string;

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'ci run ')));
  for (const name of ['project', 'tmp']) {
    fs.mkdirSync(path.join(folder, name));
  }
  for (const [name, text] of Object.entries(files)) {
    write(name, text);
  }
  for (const name of ['run', 'long', 'lib']) {
    write(`.ci/${name}`, fs.readFileSync(path.join(repositoryRoot(), '.ci', name), 'utf8'));
  }
  const programs = [
    '.ci/run',
    '.ci/long',
    '.ci/newest-clients',
    '.ci/client-runtimes',
    '.ci/generated-clients',
    '.ci/litellm',
    '.ci/mcp',
    '.ci/client-packages',
    '.ci/rehearsal',
    'docker/test-build.sh',
    'bin/docker',
    'bin/npm',
  ];
  for (const name of programs) {
    fs.chmodSync(path.join(folder, 'project', name), 0o755);
  }
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  const file = path.join(folder, 'project', name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}
const git = (...args: string[]): void => {
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.com', '-c', 'safe.directory=*'];
  const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd: path.join(folder, 'project') });
  expect([String(stderr), status]).toEqual([expect.any(String), 0]);
};
const hasGit = spawnSync('git', ['--version']).status === 0;
const withGit = hasGit ? test : test.skip;

function run(env: NodeJS.ProcessEnv = {}, [script = 'run', ...args]: string[] = []) {
  const foreign = /^(GIT_|HOME$|TMPDIR$)/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const PATH = `${path.join(folder, 'project/bin')}:${process.env.PATH}`;
  const { status, stdout, stderr } = spawnSync(path.join(folder, 'project/.ci', script), args, {
    env: { ...Object.fromEntries(own), PATH, HOME: folder, TMPDIR: path.join(folder, 'tmp'), ...env },
    encoding: 'utf8',
  });
  const lines = String(stdout).trimEnd().split('\n');
  return { status, lines, last: lines.at(-1), text: `${String(stdout)}${String(stderr)}` };
}

describe('.ci/run', () => {
  withGit('looks at the last commit, sums up all tests, and leaves nothing behind', () => {
    git('init', '-q');
    git('add', '-A');
    git('commit', '-q', '-m', 'first');
    write('scripts/tests.mjs', says('Tests:       9 failed, 9 total'));
    const { status, last, text } = run();
    expect([status, last]).toEqual([0, '17 passed, 0 failed, 1 skipped']);
    expect(text).toContain('changes that are not committed');
    expect(text).toContain(`History ${path.join(folder, 'project')} \n`);
    expect(fs.readdirSync(path.join(folder, 'tmp'))).toEqual([]);
  });

  withGit('works on a clone without history, and on one that belongs to somebody else', () => {
    git('init', '-q');
    git('add', '-A');
    git('commit', '-q', '-m', 'first');
    const project = path.join(folder, 'project');
    fs.renameSync(project, path.join(folder, 'origin'));
    const source = `file://${path.join(folder, 'origin')}`;
    spawnSync('git', ['-c', 'safe.directory=*', 'clone', '-q', '--depth=1', source, project]);
    if (process.getuid?.() === 0) {
      spawnSync('chown', ['-R', '12345:12345', project]);
    }
    const { last, text } = run();
    expect(last).toBe('17 passed, 0 failed, 1 skipped');
    expect(text).toMatch(/^Commit \w+ first$/m);
  });

  test('.ci/run works on files without a commit, also inside of another repository', () => {
    if (hasGit) {
      git('-C', folder, 'init', '-q');
      git('-C', folder, 'commit', '-q', '--allow-empty', '-m', 'another');
    }
    write('node_modules/left/over.txt', 'not taken along');
    const { status, last, text } = run();
    expect([status, last]).toEqual([0, '17 passed, 0 failed, 1 skipped']);
    expect(text).toContain('the files are looked at as they are');
  });

  test.each([
    ['without HOME', { HOME: undefined }],
    ['with a HOME that cannot be there', { HOME: '/dev/null/home' }],
    ['of a user without any rights by default', { umask: '077' }],
  ])('.ci/run works in an environment %s', (_, { umask, ...env }: NodeJS.ProcessEnv & { umask?: string }) => {
    const before = process.umask(umask === undefined ? 0o022 : Number.parseInt(umask, 8));
    const { last, text } = run(env);
    process.umask(before);
    expect(last).toBe('17 passed, 0 failed, 1 skipped');
    expect(text).toMatch(/HOME \/\S.* umask 22/);
  });

  test('.ci/run works with closed standard input', () => {
    const command = path.join(folder, 'project/.ci/run');
    const { stdout } = spawnSync('bash', ['-c', '"$0" <&-', command], {
      env: { ...process.env, PATH: `${path.join(folder, 'project/bin')}:${process.env.PATH}` },
      encoding: 'utf8',
    });
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('17 passed, 0 failed, 1 skipped');
  });

  test('.ci/run counts failed tests of any part, says them once more at its end, and ends with another code than 0', () => {
    const failures = 'FAIL acceptance money.test.ts\n  ● money › is not charged twice\n    Expected: 1';
    write(
      'scripts/test-variants.mjs',
      `${says(`ok\n${failures}\n\nTests:       2 failed, 5 passed, 7 total`)} process.exitCode = 1;`,
    );
    const { status, last, lines, text } = run();
    expect([status, last]).toEqual([1, '17 passed, 2 failed, 0 skipped']);
    expect(lines.slice(lines.indexOf('Once more, what failed:')).join('\n')).toContain(failures);
    expect(text.split(failures)).toHaveLength(3);
  });

  test('.ci/run names the check that failed, and counts it', () => {
    write('scripts/db-check.mjs', 'process.exitCode = 3;');
    const { status, last, text } = run();
    expect([status, last]).toEqual([3, '0 passed, 1 failed, 0 skipped']);
    expect(text).toContain('Failed: migrations lead to the schema');
  });

  test('.ci/run names the check that failed beside others, after those have run', () => {
    write('scripts/prepare.mjs', files['scripts/prepare.mjs'] + writeProgram('eslint', 'exit 5'));
    const { status, last, text } = run();
    expect([status, last]).toEqual([5, '0 passed, 1 failed, 0 skipped']);
    expect(text).toContain('Failed: lint with types');
    expect(text).toMatch(/^== migrations lead to the schema$/m);
    expect(text).not.toMatch(/^== real object stores/m);
  });

  test('.ci/run ends a check that runs beside the one that failed', () => {
    const ended = path.join(folder, 'ended');
    const waiting = `trap 'touch "${ended}"; exit 1' TERM; touch "${ended}-not"; while :; do sleep 0.05; done`;
    const failing = `until [ -e "${ended}-not" ]; do sleep 0.05; done; exit 6`;
    const programs = writeProgram('eslint', waiting) + writeProgram('tsc', failing);
    write('scripts/prepare.mjs', files['scripts/prepare.mjs'] + programs);
    const { status, last, text } = run();
    expect([status, last, fs.existsSync(ended)]).toEqual([6, '0 passed, 1 failed, 0 skipped', true]);
    expect(text).toContain('Failed: types of the tests');
    expect(fs.readdirSync(path.join(folder, 'tmp'))).toEqual([]);
  });
});

const flaky = 'Total: 3 passed, 0 failed, 0 skipped, 2 flaky (a/one.test.ts b/two.test.ts)';

test('.ci/run names files that failed beside others and passed alone', () => {
  write('scripts/tests.mjs', says(flaky));
  const { status, last, text } = run();
  expect([status, last]).toEqual([0, '13 passed, 0 failed, 1 skipped']);
  expect(text).toContain(
    'Flaky, 2 files that failed beside others and passed alone: a/one.test.ts b/two.test.ts\n',
  );
});

describe('.ci/long', () => {
  const long = (...names: string[]) => {
    return run({ BUILDAH: 'sh --option', RELEASES_REPOSITORY: '', COMFYUI_DIR: '/comfyui' }, [
      'long',
      ...names,
    ]);
  };

  test('.ci/long fails when anything is left out for want of a tool', () => {
    const { status, last, text } = long('variants');
    expect([status, last]).toEqual([1, '10 passed, 2 failed, 0 skipped']);
    expect(text).toContain('2 checks or tests lack something that they need');
  });

  test(
    '.ci/long counts a check that counts nothing itself as one, and goes on after one that failed',
    () => {
      write('scripts/test-variants.mjs', says('Tests:       5 passed, 5 total'));
      write('scripts/test-security.mjs', 'process.exitCode = 7;');
      const { status, last, text } = long();
      // deploy 1, docs 1, commands 1, mcp 2, panels 7, upgrade 2, clients 7, broken-connections 7, newest-clients 6.
      // Beside them client-runtimes 2, generated-clients 3, litellm 8, comfyui 7, repetitions 7, images 1.
      // Then simulation 7, object-stores 7, rehearsal 7, variants 10, bench 1, faults 1, mutants 1;
      // security failed.
      expect([status, last]).toEqual([1, '101 passed, 1 failed, 0 skipped']);
      expect(text).toContain('Failed: security');
      expect(text).toMatch(/^== mutants$/m);
    },
    MANY_PROGRAMS_MS,
  );

  test(
    '.ci/long passes when everything was there and passed',
    () => {
      write('scripts/test-variants.mjs', says('Tests:       5 passed, 5 total'));
      const { status, last, text } = long();
      expect([status, last]).toEqual([0, '102 passed, 0 failed, 0 skipped']);
      expect(text).toMatch(/^History .* --seconds 600$/m);
    },
    MANY_PROGRAMS_MS,
  );

  test('.ci/long runs only the checks that are named, and knows their names', () => {
    const { last, text } = long('upgrade', 'images');
    expect(last).toBe('3 passed, 0 failed, 0 skipped');
    expect(text).toContain('built');
    const refused = long('upgrades');
    expect([refused.status, refused.last]).toEqual([2, '0 passed, 1 failed, 0 skipped']);
    expect(refused.text).toContain('There is no check upgrades');
  });

  test('.ci/long fails over a file that failed beside others and passed alone', () => {
    write('scripts/tests.mjs', says(flaky));
    const { status, last } = long('clients');
    expect([status, last]).toEqual([1, '3 passed, 2 failed, 0 skipped']);
  });

  test('.ci/long fails over container images where nothing can build them', () => {
    const { last, text } = run({ BUILDAH: '/nowhere/buildah' }, ['long', 'images']);
    expect(last).toBe('0 passed, 1 failed, 0 skipped');
    expect(text).toContain('neither a docker engine nor buildah');
  });
});
