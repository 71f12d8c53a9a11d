import tseslint from 'typescript-eslint';
import style from './scripts/lint/style-plugin.mjs';

// Biome lints everything that needs no types; only what does, and the borders that no other tool draws, stands here.
const processEnv = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'Settings are read once, in main.ts and env.ts, and passed on as values.',
};
const emptyCatch = [
  {
    selector: 'CatchClause > BlockStatement[body.length=0]',
    message: 'Handle the error, or return a value that says what its absence means.',
  },
  {
    selector:
      "CallExpression[callee.property.name='catch'] > ArrowFunctionExpression > BlockStatement[body.length=0]",
    message: 'Handle the error, or return a value that says what its absence means.',
  },
];
const serverOnly = ['createServer', 'Server', 'IncomingMessage', 'ServerResponse', 'RequestListener'];
const httpClients = {
  paths: [
    { name: 'axios', message: 'Outbound calls go through outbound/.' },
    { name: 'undici', message: 'Outbound calls go through outbound/.' },
    ...['node:http', 'node:https', 'http', 'https'].map((name) => ({
      name,
      allowImportNames: serverOnly,
      message: 'Outbound calls go through outbound/; serving is fine.',
    })),
  ],
};
const bareFetch = { name: 'fetch', message: 'Outbound calls go through outbound/.' };

const mayReadEnvironment = [
  // Variables of AWS, as its own SDKs read them: they are no settings of the gateway.
  'packages/shared/src/runtime/storage/role-credentials.ts',
  // The socket that systemd gives a unit is no setting either.
  'packages/shared/src/runtime/lifecycle/notify-service-manager.ts',
  // Clients read their own variables, where a program gives them nothing else.
  'clients/**',
  '**/main.ts',
  '**/env.ts',
  '**/*.config.ts',
  '**/*.test.ts',
  '**/test/**',
  'tests/**',
  'bench/**',
  'packages/local-stack/**',
  'packages/{stub-upstreams,testing}/**',
];
const mayCallOut = [
  'clients/**',
  'apps/dashboard/src/api/request.ts',
  'packages/shared/src/runtime/outbound/**',
  'packages/shared/src/runtime/storage/**',
  'apps/generation-worker/src/providers/**',
  'packages/local-stack/**',
  'packages/{stub-upstreams,testing}/**',
  '**/*.test.ts',
  '**/test/**',
  'tests/**',
  'bench/**',
];

export default tseslint.config(
  {
    ignores: ['**/dist/**', '**/generated/**', '**/node_modules/**', '.data/**', '.cache/**', 'coverage/**'],
  },
  {
    files: ['{apps,packages,tests,bench,clients}/**/*.ts', 'apps/dashboard/src/**/*.tsx', '*.config.ts'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: {
        project: ['./tsconfig.eslint.json', './apps/dashboard/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      'no-restricted-syntax': ['error', processEnv, ...emptyCatch],
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { paths: httpClients.paths.map((p) => ({ ...p, allowTypeImports: true })) },
      ],
      'no-restricted-globals': ['error', bareFetch],
    },
  },
  {
    files: ['{apps,packages,tests,bench,clients,examples}/**/*.{ts,tsx,mjs}', 'scripts/**/*.mjs'],
    plugins: { style },
    rules: {
      'max-lines': ['error', { max: 400 }],
      'style/no-literal-spread': 'error',
      'style/plain-comments': 'error',
      'style/plain-names': 'error',
    },
  },
  { files: mayReadEnvironment, rules: { 'no-restricted-syntax': ['error', ...emptyCatch] } },
  {
    files: mayCallOut,
    rules: { '@typescript-eslint/no-restricted-imports': 'off', 'no-restricted-globals': 'off' },
  },
);
