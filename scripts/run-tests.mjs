import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap, everything } from './bootstrap.mjs';
import { selectProjects } from './select-projects.mjs';

const root = path.resolve(import.meta.dirname, '..');
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
const settings = {
  postgres: ['TEST_DATABASE_URL'],
  redis: ['TEST_REDIS_URL'],
  s3: ['TEST_S3_ENDPOINT', 'TEST_S3_ACCESS_KEY', 'TEST_S3_SECRET_KEY'],
};

/** The tests must not find the database that somebody works on in the environment. */
function cleanEnvironment() {
  const foreign = /^(DATABASE_URL|REDIS_URL|DATA_DIR|PROVIDERS|S3_.*)$/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(own), NODE_ENV: 'test' };
}

function runJest(args, env, onChild) {
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', jest, ...args];
  // In our process group, so that an interactive watch has the terminal.
  const child = spawn(process.execPath, node, { cwd: root, env, stdio: 'inherit' });
  onChild(child);
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

/** Runs the selected tests and answers with the exit code. */
export async function run() {
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true }, watch: { type: 'string' } },
  });
  const patterns = values.watch === undefined ? (values.only ?? []) : [values.watch];
  const projects = selectProjects(root, patterns);
  if (projects.size === 0) {
    console.error(`No test file matches ${patterns.join(' ')}`);
    return 1;
  }

  const controller = new AbortController();
  let child;
  let exitCode = 0;
  const stop = (signal) => {
    exitCode = signals[signal];
    controller.abort();
    child?.kill(signal);
  };

  const withServices = projects.has('integration');
  const goals = projects.has('acceptance')
    ? [...everything, 'build-stack']
    : ['install', 'generate', ...(withServices ? ['build-stack'] : [])];
  await bootstrap({ goals, out: process.stdout });
  for (const signal of Object.keys(signals)) process.on(signal, stop);

  const env = cleanEnvironment();
  let services;
  try {
    if (withServices) {
      const { startTestServices } = await import('../packages/local-stack/dist/index.js');
      const missing = Object.keys(settings).filter((name) => settings[name].some((setting) => !env[setting]));
      services = await startTestServices({
        wanted: new Set(missing),
        cacheDir: path.join(root, '.cache'),
        out: process.stdout,
        signal: controller.signal,
      });
      Object.assign(env, services.env);
    }
    const onChild = (started) => {
      child = started;
    };
    const jest = (names, more = []) => {
      const chosen = names.filter((name) => projects.has(name));
      if (chosen.length === 0 || exitCode !== 0) return 0;
      return runJest(
        [
          '--selectProjects',
          ...chosen,
          ...more,
          // A test that leaves something open must not keep the whole run from ending; Jest says so when one does.
          ...(values.watch ? ['--watchAll'] : ['--forceExit']),
          '--testPathPatterns',
          ...(patterns.length ? patterns : ['.']),
        ],
        env,
        onChild,
      );
    };
    // Tests wait for databases and processes more than they compute: two at a time also where there are only two cores.
    const parallel = [`--maxWorkers=${Math.max(2, os.availableParallelism() - 1)}`];
    const first = await jest(['unit', 'integration'], parallel);
    const second = await jest(['acceptance'], ['--maxWorkers=2']);
    return exitCode || first || second;
  } catch (error) {
    if (exitCode) return exitCode;
    throw error;
  } finally {
    await services?.stop();
  }
}
