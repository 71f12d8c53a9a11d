import type { Config } from 'jest';

type Project = Exclude<NonNullable<Config['projects']>[number], string>;

const shared: Project = {
  runtime: '<rootDir>/tests/environment/test-runtime.cjs',
  testEnvironment: '<rootDir>/tests/environment/test-environment.mjs',
  testEnvironmentOptions: { customExportConditions: ['@image-gateway/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  resolver: '<rootDir>/jest.resolver.cjs',
  modulePathIgnorePatterns: ['<rootDir>/(apps|packages)/[^/]+/dist/', '<rootDir>/\\.(data|cache)/'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  transformIgnorePatterns: ['/node_modules/'],
};

const project = (name: string, testMatch: readonly string[]): Project => ({
  ...shared,
  displayName: name,
  testMatch: testMatch.map((pattern) => `<rootDir>/${pattern}`),
});

/** Unit tests need no service; the other two find theirs in the TEST_* settings that `npm test` sets. */
const config: Config = {
  testSequencer: '<rootDir>/scripts/testing/longest-first.mjs',
  coverageProvider: 'v8',
  coverageDirectory: 'coverage',
  // Far beyond what any test takes: a busy machine makes tests slow, never red. A test of speed sets its own limit.
  testTimeout: 180_000,
  // ES modules of finished test files are never freed. A worker with a large heap spends its time on collecting it.
  workerIdleMemoryLimit: '512MB',
  projects: [
    project('unit', ['{{apps,packages}/*,bench}/src/**/*.test.ts']),
    project('integration', [
      '{apps,packages}/*/test/**/*.test.ts',
      'tests/{integration,faults}/**/*.test.ts',
    ]),
    {
      ...project('acceptance', ['tests/acceptance/**/*.test.ts']),
      globalSetup: '<rootDir>/tests/acceptance/support/global-setup.mjs',
      globalTeardown: '<rootDir>/tests/acceptance/support/global-teardown.mjs',
    },
  ],
};

export default config;
