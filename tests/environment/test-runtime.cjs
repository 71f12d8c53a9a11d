const { default: Runtime } = require('jest-runtime');

// Tests and their helpers are loaded for each file: they hold the `test` and `expect` of its run.
const KEPT =
  /^(?!@jest\/globals).*\/(?:node_modules|(?:apps|packages)\/[^/]+\/(?:src|dist))\/(?!.*[.]test[.]ts)/;
const isKept = (key) => KEPT.test(key) || !key.includes('/') || key.startsWith('node:');

/** Module loader that keeps the modules of libraries and of the product for the next file. */
class KeptRuntime extends Runtime {
  begin(testPath) {
    this._testPath = testPath;
    this.testState.state = 'loading';
  }

  teardown() {
    this.restoreAllMocks();
    const { esModuleRegistry, moduleRegistry, internalModuleRegistry } = this.registries;
    for (const registry of [esModuleRegistry, moduleRegistry]) {
      for (const key of registry.keys()) {
        if (!isKept(key)) {
          registry.delete(key);
        }
      }
    }
    // Modules of Jest itself hold the tests and hooks of the file.
    internalModuleRegistry.clear();
    this.jestGlobals.clearJestObjectCache();
    this.loggedReferenceErrors.clear();
  }
}

const runtimes = new WeakMap();

/**
 * Returns Jest's module loader of a test file, which is that of the file before where `test-environment.mjs` keeps the environment.
 * Loading all modules anew costs a second of the processor for each file, and all of their code would run cold.
 */
module.exports = function createRuntime(...options) {
  const [, environment, , , , , testPath] = options;
  if (!environment.isKept) {
    return new Runtime(...options);
  }
  const runtime = runtimes.get(environment) ?? new KeptRuntime(...options);
  runtimes.set(environment, runtime);
  runtime.begin(testPath);
  return runtime;
};
