const { default: Runtime } = require('jest-runtime');

// Tests and their helpers are loaded for each file: they hold the `test` and `expect` of its run.
const KEPT = /^(?!@jest\/globals).*\/(?:node_modules|(?:apps|packages)\/[^/]+\/(?:src|dist))\/(?!.*[.]test[.]ts)/;
const isKept = (key) => KEPT.test(key) || !key.includes('/') || key.startsWith('node:');

const runtimes = new WeakMap();

/**
 * Module loader of Jest that keeps the modules of libraries and of the product for the next file of the same environment. Loading them
 * anew costs a second of the processor for each file, and all of their code would run cold.
 */
module.exports = class TestRuntime extends Runtime {
  constructor(...options) {
    const [, environment, , , , , testPath] = options;
    const known = runtimes.get(environment);
    if (known !== undefined) {
      known._testPath = testPath;
      known.testState.state = 'loading';
      return known;
    }
    super(...options);
    if (environment.isKept) {
      runtimes.set(environment, this);
    }
  }

  teardown() {
    if (!this._environment.isKept) {
      super.teardown();
      return;
    }
    this.restoreAllMocks();
    const { esModuleRegistry, moduleRegistry, internalModuleRegistry } = this.registries;
    for (const registry of [esModuleRegistry, moduleRegistry]) {
      for (const key of registry.keys()) {
        if (!isKept(key)) {
          registry.delete(key);
        }
      }
    }
    // Jest's own modules hold the tests and hooks of the file.
    internalModuleRegistry.clear();
    this.jestGlobals.clearJestObjectCache();
    this.loggedReferenceErrors.clear();
  }
};
