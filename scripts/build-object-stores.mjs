#!/usr/bin/env node
// Builds the real object stores that the storage conformance suite runs against (MinIO with its client, versitygw) from their
// Go modules, once, into a cache. Plain Node without dependencies. The gateway does not need it.
//   npm run object-stores:build [-- minio mc versitygw] [-- --json]
// Exit 0: all there, or Go is not installed (the suite then skips those servers). Exit 1: a build failed.
// OBJECT_STORES_BUILD=off builds nothing and reports what the cache has.
import { spawn, spawnSync } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseOptions } from './options/parse-options.mjs';

// MinIO publishes no binaries or images any more; this is the last commit of its archived repository.
const stores = [
  { name: 'minio', module: 'github.com/minio/minio', version: 'v0.0.0-20260212201848-7aac2a2c5b7c' },
  { name: 'mc', module: 'github.com/minio/mc', version: 'v0.0.0-20250313080218-cf909e1063a9' },
  { name: 'versitygw', module: 'github.com/versity/versitygw/cmd/versitygw', version: 'v1.8.0' },
];
const LOCK_REFRESH_MS = 2_000;
const LOCK_STALE_MS = 15_000;

const USAGE = `Usage: npm run object-stores:build -- [minio mc versitygw] [--json]

Builds object stores from their Go modules into a cache, all by default. OBJECT_STORES_BUILD=off only says what is there.

  --json       prints the results as JSON
  -h, --help   prints this`;
const options = parseOptions(USAGE, { allowPositionals: true, options: { json: { type: 'boolean' } } });
if (options === null) {
  process.exit(0);
}
const { json } = options.values;
const wanted = options.positionals;
const directory =
  process.env.OBJECT_STORES_DIR ||
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'image-gateway', 'object-stores');

const say = (line) => process.stderr.write(`${line}\n`);
const chosen = stores.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const unknown = wanted.filter((name) => !stores.some((store) => store.name === name));
if (unknown.length > 0) {
  finish(1, {
    error: `unknown object store: ${unknown.join(', ')} (known: ${stores.map((s) => s.name).join(', ')})`,
  });
}

const results = [];
const missing = [];
for (const store of chosen) {
  if (await isBuilt(store)) {
    results.push({ ...store, path: getPath(store), state: 'present' });
  } else {
    missing.push(store);
  }
}
if (missing.length > 0) {
  const mayBuild = process.env.OBJECT_STORES_BUILD !== 'off';
  if (mayBuild && spawnSync('go', ['version'], { encoding: 'utf8' }).status === 0) {
    await buildAll();
  } else {
    const reason = mayBuild ? 'Go is not installed' : 'OBJECT_STORES_BUILD is off';
    for (const store of missing) {
      results.push({ ...store, path: null, state: 'skipped', reason });
    }
  }
}
finish(results.some(({ state }) => state === 'failed') ? 1 : 0, { directory, stores: results });

/** Builds what is still missing, one at a time, while no other build of this cache runs. */
async function buildAll() {
  const unlock = await lock();
  try {
    // Leftovers of an interrupted build.
    const stale = (await readdir(directory)).filter((name) => name.startsWith('.build-'));
    await Promise.all(stale.map((name) => rm(join(directory, name), { recursive: true, force: true })));
    for (const store of missing) {
      // Another run may have built it while this one waited.
      if (await isBuilt(store)) {
        results.push({ ...store, path: getPath(store), state: 'present' });
      } else {
        results.push(await build(store));
      }
    }
  } finally {
    await unlock();
  }
}

/** `go install` into a folder of its own, then a rename, so that a half-written binary is never found. */
async function build(store) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const temporary = await mkdtemp(join(directory, `.build-${store.name}-`));
  try {
    say(`building ${store.name} ${store.version} (takes minutes the first time) …`);
    const { code, tail } = await goInstall(store, temporary, () => say(`  ${store.name}: ${seconds()} s …`));
    if (code !== 0) {
      say(`building ${store.name} failed after ${seconds()} s:\n${tail}`);
      return {
        ...store,
        path: null,
        state: 'failed',
        reason: tail.trim().split('\n').at(-1) ?? `exit code ${code}`,
      };
    }
    await rename(join(temporary, store.name), getPath(store));
    await writeFile(join(temporary, 'version'), `${store.version}\n`);
    await rename(join(temporary, 'version'), `${getPath(store)}.version`);
    return { ...store, path: getPath(store), state: 'built', seconds: seconds() };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

function goInstall({ module, version }, target, progress) {
  const child = spawn('go', ['install', '-ldflags', '-s -w', `${module}@${version}`], {
    // CGO off: neither server needs a C compiler. GOOS and GOARCH of the caller would move the binary elsewhere.
    env: { ...process.env, GOBIN: target, CGO_ENABLED: '0', GOOS: '', GOARCH: '' },
    cwd: target,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let tail = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    tail = (tail + text).slice(-4_000);
  });
  const timer = setInterval(progress, 15_000);
  return new Promise((resolve) => {
    const end = (code, message) => {
      clearInterval(timer);
      resolve({ code, tail: message ?? tail });
    };
    child.on('error', (error) => end(1, error.message));
    child.on('close', (code) => end(code ?? 1));
  });
}

/** Takes the lock file of the cache; a holder touches it every two seconds, so one that died is passed over. */
async function lock() {
  await mkdir(directory, { recursive: true });
  const path = join(directory, '.lock');
  for (let announced = false; ; announced = true) {
    try {
      const file = await open(path, 'wx');
      await file.writeFile(`${process.pid}\n`);
      await file.close();
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') {
        throw error;
      }
    }
    const held = await stat(path).catch(() => null);
    if (held && Date.now() - held.mtimeMs > LOCK_STALE_MS) {
      await rm(path, { force: true });
    } else {
      if (!announced) {
        say('another build of the object stores is running, waiting for it …');
      }
      await delay(500);
    }
  }
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => say('the lock of the build cache has vanished; building on'));
  }, LOCK_REFRESH_MS);
  return async () => {
    clearInterval(beat);
    await rm(path, { force: true });
  };
}

function getPath(store) {
  return join(directory, store.name);
}

async function isBuilt(store) {
  const [binary, version] = await Promise.all([
    stat(getPath(store)).catch(() => null),
    readFile(`${getPath(store)}.version`, 'utf8').catch(() => ''),
  ]);
  return binary !== null && version.trim() === store.version;
}

function finish(code, answer) {
  if (json) {
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  } else if (answer.error) {
    say(answer.error);
  } else {
    for (const { name, state, path, reason, seconds } of answer.stores) {
      if (state === 'skipped') {
        continue;
      }
      say(
        state === 'failed'
          ? `${name}: failed (${reason})`
          : `${name}: ${path}${seconds ? ` (${seconds} s)` : ''}`,
      );
    }
    const skipped = answer.stores.filter(({ state }) => state === 'skipped');
    if (skipped.length > 0) {
      const names = skipped.map(({ name }) => name).join(' and ');
      say(`${names} can't be built (${skipped[0].reason}); tests against them are skipped.`);
    }
  }
  process.exit(code);
}
