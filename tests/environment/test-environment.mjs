import fs from 'node:fs';
import path from 'node:path';
import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';
import { processorSeconds } from './processor-seconds.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');
const since = (start) => (performance.now() - start) / 1_000;

/**
 * Node environment of Jest that measures a test file: its time before and after the tests, and the CPU time of its processes. Appends a
 * line to the file that TEST_TIMES_FILE names. A kept one serves further files.
 */
class TestEnvironment extends NodeEnvironment {
  isKept;
  #settings;
  #exit;
  #file;
  #start;
  #hooks;
  #hookStart;
  #loaded;
  #tests;

  constructor(config, context, isKept) {
    super(config, context);
    const { process } = this.global;
    this.isKept = isKept;
    this.#settings = { ...process.env };
    this.#exit = process.exit;
  }

  /** Starts the measurement of a file. */
  begin(testPath) {
    this.#file = path.relative(ROOT, testPath);
    this.#start = performance.now();
    this.#hooks = 0;
    this.#hookStart = null;
    this.#loaded = null;
    this.#tests = null;
  }

  /** Puts back what a test file may have changed, and forgets its hooks. */
  async teardown() {
    if (!this.isKept) {
      await super.teardown();
      return;
    }
    const { process } = this.global;
    for (const name of Object.keys(process.env)) {
      if (!(name in this.#settings)) {
        delete process.env[name];
      }
    }
    Object.assign(process.env, this.#settings);
    process.exit = this.#exit;
    this.fakeTimersModern.useRealTimers();
    delete this.global[Symbol.for('EVENT_HANDLERS')];
  }

  // Hooks around all tests of a file or a group start and stop what these need.
  handleTestEvent({ name, hook }) {
    const isAround = hook?.type === 'beforeAll' || hook?.type === 'afterAll';
    if (name === 'run_start') {
      this.#loaded = since(this.#start);
      this.#tests = { start: performance.now(), processor: processorSeconds() };
    } else if (name === 'hook_start' && isAround) {
      this.#hookStart = { start: performance.now(), processor: processorSeconds() };
    } else if (/^hook_(success|failure)$/.test(name) && isAround && this.#hookStart !== null) {
      this.#hooks += since(this.#hookStart.start);
      this.#tests.processor += processorSeconds() - this.#hookStart.processor;
      this.#hookStart = null;
    } else if (name === 'run_finish') {
      this.#write();
    }
  }

  #write() {
    const seconds = since(this.#start);
    const startUp = this.#loaded + this.#hooks;
    const work = Math.min(seconds - startUp, processorSeconds() - this.#tests.processor);
    const row = {
      file: this.#file,
      loading: this.#loaded,
      services: this.#hooks,
      waiting: seconds - startUp - work,
      work,
    };
    if (process.env.TEST_TIMES_FILE) {
      fs.appendFileSync(process.env.TEST_TIMES_FILE, `${JSON.stringify(row)}\n`);
    }
  }
}

/** Environments of this worker by project. */
const kept = new Map();

/**
 * Returns the environment of a test file. It is the one of the file before in the same project, so that what both import is loaded once
 * (see `test-runtime.cjs`). A file that must find every module as new says `@jest-own-modules` in its first comment. While files are
 * watched nothing is kept: a module may have changed.
 */
export default function createEnvironment(config, context) {
  const { id } = config.projectConfig;
  const { watch, watchAll } = config.globalConfig;
  const isKept = !(watch || watchAll || 'jest-own-modules' in context.docblockPragmas);
  const environment = (isKept ? kept.get(id) : undefined) ?? new TestEnvironment(config, context, isKept);
  if (isKept) {
    kept.set(id, environment);
  }
  environment.begin(context.testPath);
  return environment;
}
