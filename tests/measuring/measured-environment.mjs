import fs from 'node:fs';
import path from 'node:path';
import { TestEnvironment } from 'jest-environment-node';
import { processorSeconds } from './processor-seconds.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');
const since = (start) => (performance.now() - start) / 1_000;

/**
 * Node environment of Jest that measures each test file: its time before and after the tests, and the CPU time of its
 * processes. Appends a line to the file that TEST_TIMES_FILE names.
 */
export default class MeasuredEnvironment extends TestEnvironment {
  #file;
  #start = performance.now();
  #hooks = 0;
  #hookStart = null;
  #loaded = null;
  #tests = null;

  constructor(config, context) {
    super(config, context);
    this.#file = path.relative(ROOT, context.testPath);
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
