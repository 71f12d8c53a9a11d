import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bootstrap, EVERYTHING } from '../bootstrap/bootstrap.mjs';
import { parseOptions, usageError } from '../options/parse-options.mjs';
import { selectChanged } from './changed-tests.mjs';
import { createResults } from './create-results.mjs';
import { FLAKY } from './flaky-tests.mjs';
import { judgeFlaky, repeatAlone } from './judge-flaky.mjs';
import { getProject, listTests } from './list-tests.mjs';
import { RECORDED_SECONDS, readSeconds } from './longest-first.mjs';
import { listLeftOut, selectTests } from './select-tests.mjs';
import { keepTimes } from './test-times.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
const USAGE = `Usage: npm test -- [--rest | --all | --changed [REVISION] | --only PATTERN… | --watch FILE] [--record-times]

Without options it runs what a person waits for; scripts/testing/test-lists.mjs says what is left out, and why.

  --rest           runs what is left out (npm run test:rest)
  --all            runs both (npm run test:all)
  --changed [REV]  runs the files whose imports lead to what differs from a revision of Git, HEAD by default, and those
                   that scripts/testing/tests-by-folder.mjs names for its folders
  --only PATTERN   runs the test files whose path matches this regular expression; may be given several times
  --watch FILE     runs the tests of one file again after every change
  --record-times   keeps how long each test file took: the longest start first from then on
  -h, --help       prints this`;
// More files than these are no accident of a busy machine.
const MAX_REPEATED_FILES = 12;
// Unit tests compute. The others wait for databases, processes and clocks more than half of their time.
const COMPUTING = Math.max(2, os.availableParallelism() - 1);
const GIB = 2 ** 30;
const WAITING = Math.max(2, Math.min(2 * os.availableParallelism(), Math.floor(os.totalmem() / (3 * GIB))));
const SETTINGS = {
  postgres: ['TEST_DATABASE_URL'],
  redis: ['TEST_REDIS_URL'],
  s3: ['TEST_S3_ENDPOINT', 'TEST_S3_ACCESS_KEY', 'TEST_S3_SECRET_KEY'],
};

/** Returns the environment without settings of the product: tests must not find a database that is in use. */
function cleanEnvironment() {
  const foreign = /^(DATABASE_URL|REDIS_URL|DATA_DIR|PROVIDERS|S3_.*)$/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(own), NODE_ENV: 'test' };
}

function runJest(args, { env, isWatching, onChild }) {
  const jest = path.join(ROOT, 'node_modules/jest/bin/jest.js');
  // Node 22.13 to 22.17 read jest.config.ts with a flag only.
  const types = process.features.typescript ? [] : ['--experimental-strip-types'];
  const node = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    ...types,
    jest,
    ...args,
  ];
  // An interactive watch has the terminal. All else is a process group of its own, which a signal ends with its workers.
  const child = spawn(process.execPath, node, { cwd: ROOT, env, stdio: 'inherit', detached: !isWatching });
  onChild(child);
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

/** Keeps the seconds of test files, beside those of files that still exist. */
function recordSeconds(seconds) {
  const all = Object.entries({ ...readSeconds(), ...seconds })
    .filter(([name]) => fs.existsSync(path.join(ROOT, name)))
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  fs.writeFileSync(RECORDED_SECONDS, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
}

/** Runs the selected tests and returns the exit code. */
export async function runTests() {
  const options = parseOptions(USAGE, {
    allowPositionals: true,
    options: {
      changed: { type: 'boolean' },
      rest: { type: 'boolean' },
      all: { type: 'boolean' },
      only: { type: 'string', multiple: true },
      watch: { type: 'string' },
      'record-times': { type: 'boolean' },
    },
  });
  if (options === null) {
    return 0;
  }
  const { values, positionals } = options;
  if (positionals.length > (values.changed ? 1 : 0)) {
    throw usageError(`Unexpected argument '${positionals.at(-1)}'`, USAGE);
  }
  const patterns = values.watch === undefined ? (values.only ?? []) : [values.watch];
  const part = values.all ? 'all' : values.rest ? 'rest' : 'short';
  const names = listTests(ROOT);
  const selected = values.changed
    ? selectTests(selectChanged(ROOT, names, positionals[0] ?? 'HEAD'), { part: 'all' })
    : selectTests(names, { patterns, part });
  const projects = new Set(selected.map(getProject));
  if (projects.size === 0 && values.changed) {
    return 0;
  }
  if (projects.size === 0) {
    console.error(`No test file matches ${patterns.join(' ')}`);
    return 1;
  }

  const isWatching = values.watch !== undefined;
  const controller = new AbortController();
  let child;
  let exitCode = 0;
  const stop = (signal) => {
    exitCode = EXIT_CODES[signal];
    controller.abort();
    if (child?.exitCode === null && child.signalCode === null) {
      process.kill(isWatching ? child.pid : -child.pid, signal);
    }
  };

  const withServices = projects.has('integration');
  // Tests run sources; the processes that these start are compiled.
  const goals = projects.has('acceptance') ? EVERYTHING : ['install', 'generate', 'build-for-tests'];
  await bootstrap({ goals, out: process.stdout });
  for (const signal of Object.keys(EXIT_CODES)) {
    process.on(signal, stop);
  }

  const times = path.join(ROOT, `.cache/test-times-${process.pid}.jsonl`);
  const env = { ...cleanEnvironment(), TEST_TIMES_FILE: times };
  let services;
  try {
    if (withServices) {
      const { startTestServices } = await import('../../packages/local-stack/dist/index.js');
      const missing = Object.keys(SETTINGS).filter((name) => SETTINGS[name].some((setting) => !env[setting]));
      services = await startTestServices({
        wanted: new Set(missing),
        cacheDir: path.join(ROOT, '.cache'),
        out: process.stdout,
        signal: controller.signal,
      });
      Object.assign(env, services.env);
    }
    const onChild = (started) => {
      child = started;
    };
    const results = createResults(ROOT, path.join(ROOT, '.cache'));
    const jest = (names, files, more, counted = true) => {
      const chosen = files.filter((file) => names.includes(getProject(file)));
      if (chosen.length === 0 || exitCode !== 0) {
        return 0;
      }
      // A test that leaves something open must not keep the whole run from ending; Jest says so when one does.
      const mode = isWatching ? ['--watchAll'] : ['--forceExit', ...(counted ? results.options() : [])];
      const paths = chosen.map((file) => path.join(ROOT, file));
      const args = ['--selectProjects', ...new Set(chosen.map(getProject)), ...mode, ...more];
      return runJest([...args, '--runTestsByPath', ...paths], { env, isWatching, onChild });
    };
    const first = await jest(['unit'], selected, [`--maxWorkers=${COMPUTING}`]);
    const second = await jest(['integration', 'acceptance'], selected, [`--maxWorkers=${WAITING}`]);
    if (exitCode || isWatching) {
      return exitCode || first || second;
    }
    const failed = results.collect();
    let code = first || second;
    if (code && failed.length > 0 && failed.length <= MAX_REPEATED_FILES) {
      console.log(
        `\n${failed.length} test files failed. Each runs once more, alone: a fault fails again, a busy machine does not.\n`,
      );
      code = await jest([...projects], failed, ['--runInBand']);
      results.collect();
      const flaky = judgeFlaky(results.flaky(), FLAKY);
      console.log(flaky.lines.join('\n'));
      const fallen = await repeatAlone(flaky.suspects, (file, more) =>
        jest([getProject(file)], [file], more, false),
      );
      code = code || fallen || Number(flaky.overdue);
    }
    if (values['record-times']) {
      recordSeconds(results.seconds());
    }
    const rerun = results.failed().map((file) => `  npm test -- --only ${file}`);
    const leftOut = patterns.length > 0 || values.changed ? [] : listLeftOut(part);
    const failures = rerun.length > 0 ? ['', 'Failed; each alone with:', ...rerun] : [];
    console.log([...leftOut, ...failures, results.total()].join('\n'));
    return exitCode || code;
  } catch (error) {
    if (exitCode) {
      return exitCode;
    }
    throw error;
  } finally {
    keepTimes(times);
    await services?.stop();
  }
}
