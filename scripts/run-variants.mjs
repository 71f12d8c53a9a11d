import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const root = path.resolve(import.meta.dirname, '..');
const NODE = '24';

/** Programs of a PostgreSQL that the system has, the oldest first; null when there is none. */
function systemPostgres() {
  const debian = '/usr/lib/postgresql';
  const versions = fs.existsSync(debian) ? fs.readdirSync(debian).sort((a, b) => Number(a) - Number(b)) : [];
  const folders = versions.map((version) => path.join(debian, version, 'bin'));
  const onPath = (process.env.PATH ?? '').split(path.delimiter);
  return [...folders, ...onPath].find((folder) => fs.existsSync(path.join(folder, 'initdb'))) ?? null;
}

/** A MinIO on PATH or in MINIO_BIN, else the one in the cache, built now when Go is there; null otherwise. */
function realMinio() {
  if (process.env.MINIO_BIN) return process.env.MINIO_BIN;
  const builder = path.join(import.meta.dirname, 'build-object-stores.mjs');
  const answer = execFileSync('node', [builder, 'minio', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(answer.toString()).stores[0]?.path ?? null;
}

/** The `bin` folder with a Node of another major version from its npm package, kept in the cache. */
function otherNode() {
  const folder = path.join(root, '.cache', `node-${NODE}`);
  const bin = path.join(folder, 'node_modules/node/bin');
  if (!fs.existsSync(path.join(bin, 'node'))) {
    fs.mkdirSync(folder, { recursive: true });
    const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', `node@${NODE}`];
    execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return bin;
}

/** What each variant changes in the environment of the tests, or in one line why it can't be run here. */
const variants = {
  'minio-postgres': () => {
    const minio = realMinio();
    const postgres = systemPostgres();
    if (!minio) return 'there is no MinIO: npm run object-stores:build makes one where Go is installed';
    if (!postgres) return 'there is no initdb of a PostgreSQL of the system';
    return { MINIO_BIN: minio, POSTGRES_BIN: postgres };
  },
  node24: () => ({ PATH: `${otherNode()}${path.delimiter}${process.env.PATH}` }),
};

/** What several variants at once change; those that can't be run here are left out, each with a line that says why. Null when none is left. */
function groundOf(names) {
  const grounds = names.map((name) => {
    const setUp = variants[name];
    if (!setUp)
      throw new Error(`There is no variant ${name}; there are ${Object.keys(variants).join(', ')}.`);
    const env = setUp();
    if (typeof env === 'string') console.log(`Variant ${name} is left out: ${env}.`);
    return typeof env === 'string' ? null : env;
  });
  const left = grounds.filter((env) => env !== null);
  return left.length === 0 ? null : Object.assign({}, ...left);
}

function runAcceptance(env, only, signal) {
  const patterns = only.length ? only : ['tests/acceptance'];
  const args = ['scripts/test.mjs', ...patterns.flatMap((one) => ['--only', one])];
  const child = spawn('node', args, { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

/** Runs the named variants, or all of them, one after the other; answers with 1 when one failed. */
export async function run() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string', multiple: true } },
  });
  const stopped = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => stopped.abort());
  let exitCode = 0;
  for (const name of positionals.length > 0 ? positionals : Object.keys(variants)) {
    const env = groundOf(name.split('+'));
    if (env === null) continue;
    console.log(`Variant ${name}:`);
    if ((await runAcceptance(env, values.only ?? [], stopped.signal)) !== 0) exitCode = 1;
    if (stopped.signal.aborted) return 1;
  }
  return exitCode;
}
