// The borders of ARCHITECTURE.md: imports point down only. What stands in a list below may be imported by nobody else.
const shared = (folders) => `^packages/shared/src/(domain|runtime)/(${folders})/`;
const levels = [
  'contract|money|ids',
  'errors|catalog|presenters|task|validation|schema|account|endpoint|file|key|provider|system|usage|user|webhook|config|logging|concurrency|lifecycle|metrics|net|tracing|upstreams',
  'db|queues|limits|storage|outbound|mail|webhooks|images',
  'billing|upstream-checks',
];
const above = (level) => levels.slice(level + 1).join('|');
const tests = '(\\.test\\.ts$|^(apps|packages)/[^/]+/test/|^tests/)';
/** Nouns of the API in the order in which their verbs may use each other: each uses those before it. */
const nouns = [
  'provider',
  'catalog',
  'file',
  'webhook',
  'task',
  'user',
  'key',
  'account',
  'endpoint',
  'usage',
  'system',
];
/** Files of a noun that face the outside: its routes and its commands. They may call the verbs of every noun. */
const fronts = '^apps/api/src/[^/]+/(routes|[a-z-]+-routes|commands|commands/[^/]+)\\.ts$';
/** Files of a noun that read requests or write responses of HTTP. */
const handlers = `^apps/api/src/(${[
  'file/(uploads/|(get|upload|uploaded)-)',
  'system/(get-|health)',
  'task/(get-task|quote|refuse-without-money|stream-task-events|create-url-checks|[a-z-]+-handler)',
  'usage/usage-handlers',
  'user/auth/get-session-client',
].join('|')})`;
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const downwards = levels
  .slice(0, -1)
  .map((folders, level) =>
    rule(
      `shared-level-${level}`,
      'packages/shared: imports point to lower levels only',
      { path: shared(folders), pathNot: tests },
      { path: shared(above(level)) },
    ),
  );

/** A library that speaks to the outside stays behind the one folder that wraps it. */
const wrapped = [
  ['bullmq', 'packages/shared/src/runtime/queues/|apps/api/src/http/board/'],
  ['@bull-board/[^/]+', 'apps/api/src/http/board/'],
  ['ioredis', 'packages/shared/src/runtime/queues/|apps/api/src/http/|packages/testing/src/'],
  ['minio', 'packages/shared/src/runtime/storage/'],
  ['nodemailer', 'packages/shared/src/runtime/mail/'],
  ['@opentelemetry/[^/]+', 'packages/shared/src/runtime/tracing/create-otlp-tracing'],
  ['express', 'apps/api/src/app\\.ts|apps/api/src/http/'],
  ['@modelcontextprotocol/[^/]+', 'apps/api/src/mcp/'],
  ['(pg|@prisma/[^/]+)', 'packages/shared/src/domain/db/|packages/(local-stack|testing)/src/'],
].map(([library, home]) =>
  rule(
    `only-wrapped-${library.replace(/\W+/g, '-')}`,
    `${library} is used in ${home} only`,
    { path: '^(apps|packages)/', pathNot: [`^(${home})`, tests] },
    { path: `(^|/)node_modules/${library}/`, dependencyTypesNot: ['type-only'] },
  ),
);

module.exports = {
  forbidden: [
    rule(
      'no-circles',
      'two files that need each other are one file',
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    ),
    rule(
      'traces-cost-nothing-when-off',
      'OpenTelemetry is loaded only once a collector is configured',
      { pathNot: tests },
      { path: 'runtime/tracing/create-otlp-tracing', dynamic: false },
    ),
    rule('no-unresolved', 'every import leads somewhere', { pathNot: tests }, { couldNotResolve: true }),
    ...downwards,
    rule(
      'shared-level-2-siblings',
      'db, queues, limits, storage, outbound, webhooks and images do not know each other',
      { path: shared(levels[2]), pathNot: tests },
      { path: shared(levels[2]), pathNot: '^packages/shared/src/$1/$2/' },
    ),
    rule(
      'prisma-for-people',
      "Prisma's client is opened by the dashboard, the command line and tests; neither workers nor named statements load it",
      {
        path: '^(packages/shared/src|apps/(generation|webhook)-worker/src)/',
        pathNot: ['^packages/shared/src/domain/db/prisma/', tests],
      },
      { path: ['^packages/shared/src/domain/db/prisma/', '(^|/)node_modules/@prisma/'] },
    ),
    rule(
      'shared-browser-safe',
      'contract and money run in a browser: nothing of Node',
      { path: shared('contract|money'), pathNot: tests },
      { dependencyTypes: ['core'] },
    ),
    rule(
      'shared-level-0-plain',
      'contract, money and ids need no npm package',
      { path: shared(levels[0]), pathNot: tests },
      { path: '(^|/)node_modules/', dependencyTypesNot: ['core'] },
    ),
    rule(
      'dashboard-without-joi',
      'schemas are checked in the API: the dashboard has their types only',
      { path: '^apps/dashboard/src/' },
      {
        path: '^(apps/api/|packages/shared/src/domain/(schema/|[a-z]+/schema\\.ts$))|(^|/)node_modules/joi/',
        dependencyTypesNot: ['type-only'],
      },
    ),
    rule(
      'shared-doors',
      'folders of packages/shared use each other through index.ts, and the schemas of a noun by themselves',
      { path: '^packages/shared/src/([^/]+/[^/]+)/', pathNot: tests },
      {
        path: '^packages/shared/src/[^/]+/[^/]+/',
        pathNot: ['^packages/shared/src/$1/', '/(index|schema)\\.ts$'],
      },
    ),
    rule(
      'shared-is-below',
      'packages/shared knows nothing above it',
      { path: '^packages/shared/src/', pathNot: tests },
      { path: '^(apps|packages/(local-stack|stub-upstreams|testing))/' },
    ),
    rule(
      'apps-alone',
      'apps do not know each other, but for the types of the routes that the dashboard calls',
      { path: '^apps/([^/]+)/' },
      { path: '^apps/', pathNot: ['^apps/$1/', '^apps/api/src/dashboard-routes\\.ts$'] },
    ),
    rule(
      'dashboard-plain',
      'the dashboard knows the contract and the money of packages/shared, the types of schemas, and its own files',
      { path: '^apps/dashboard/src/' },
      {
        path: '^packages/',
        pathNot: [shared('contract|money|schema'), '^packages/shared/src/domain/[a-z]+/schema\\.ts$'],
      },
    ),
    rule(
      'testing-for-tests',
      'packages/testing is for tests',
      { path: '^(apps|packages)/', pathNot: ['^packages/testing/', tests] },
      { path: '^packages/testing/' },
    ),
    rule(
      'stub-upstreams-alone',
      'packages/stub-upstreams stands in for the providers: it knows no code that it tests, and only tests know it',
      { path: '^packages/stub-upstreams/src/' },
      { path: '^(apps|packages/(?!stub-upstreams/))' },
    ),
    rule(
      'stub-upstreams-for-tests',
      'packages/stub-upstreams is a command and a helper of tests',
      { path: '^(apps|packages)/', pathNot: ['^packages/stub-upstreams/', tests] },
      { path: '^packages/stub-upstreams/' },
    ),
    rule(
      'local-stack-for-scripts',
      'packages/local-stack starts the product; scripts, bench and tests import it',
      { path: '^(apps|packages)/', pathNot: ['^packages/local-stack/', tests] },
      { path: '^packages/local-stack/' },
    ),
    rule(
      'local-stack-alone',
      'packages/local-stack starts the product from outside',
      { path: '^packages/local-stack/src/' },
      { path: '^(apps|packages/(shared|testing))/' },
    ),
    rule(
      'scripts-plain',
      'scripts run before dependencies are installed: Node and each other only; compiled packages are loaded afterwards, by import()',
      { path: '^scripts/' },
      { pathNot: '^scripts/', dependencyTypesNot: ['core'] },
    ),
    rule(
      'scripts-for-starters',
      'scripts are what starts the product and its tests: the product does not import them, the local stack imports scripts/process',
      { path: '^(apps|packages)/', pathNot: tests },
      { path: '^scripts/', pathNot: '^scripts/process/' },
    ),
    rule(
      'process-for-local-stack',
      'scripts/process keeps processes apart and together for the bootstrap and the local stack',
      { path: '^(apps|packages)/', pathNot: ['^packages/local-stack/', tests] },
      { path: '^scripts/process/' },
    ),
    rule(
      'acceptance-from-outside',
      'acceptance tests import nothing of the project',
      { path: '^tests/acceptance/' },
      { path: '^(apps|packages|scripts)/' },
    ),
    rule('main-on-top', 'nothing imports main.ts', {}, { path: '/main\\.ts$' }),
    rule(
      'compose-wires',
      'only the top of a process imports compose.ts',
      { pathNot: ['/(main|run-(generation|webhook)-worker)\\.ts$', tests] },
      { path: '^apps/[^/]+/src/compose\\.ts$' },
    ),
    rule(
      'env-is-read-once',
      'settings are values; only the top reads the environment',
      {
        path: '^apps/',
        pathNot: [
          '^apps/[^/]+/src/(main|checks/main|compose|compose-[^/]+|env)\\.ts$',
          '^apps/api/src/(cli|doctor)/',
          '^apps/api/src/[^/]+/commands',
          tests,
        ],
      },
      { path: '^apps/[^/]+/src/env\\.ts$', dependencyTypesNot: ['type-only'] },
    ),
    ...nouns.map((noun, place) =>
      rule(
        `noun-${noun}`,
        `verbs of the API's nouns use nouns that stand before theirs: ${nouns.join(', ')}`,
        { path: `^apps/api/src/${noun}/`, pathNot: [fronts, tests] },
        {
          path: `^apps/api/src/(${[...nouns.slice(place + 1), 'openai', 'mcp', 'doctor', 'cli'].join('|')})/`,
        },
      ),
    ),
    rule(
      'verbs-below-http',
      'verbs know neither HTTP nor how the process is put together: routes, handlers and commands call them',
      { path: `^apps/api/src/(${nouns.join('|')})/`, pathNot: [fronts, handlers, tests] },
      {
        path: '^apps/api/src/(http/|[^/]+\\.ts$)',
        pathNot: '^apps/api/src/http/(list-cursor|address-limits)\\.ts$',
      },
    ),
    rule(
      'api-calls-no-customer',
      'the API calls no provider and no URL of a customer: only the command line calls anything, the providers of the operator',
      { path: '^apps/api/src/', pathNot: ['^apps/api/src/(doctor|provider/commands)/', tests] },
      { path: '^packages/shared/src/(runtime/outbound|domain/upstream-checks)/' },
    ),
    rule(
      'nouns-below-app',
      'nouns and HTTP know neither the table of all routes nor the app',
      { path: '^apps/api/src/[^/]+/', pathNot: ['^apps/api/src/cli/', tests] },
      { path: '^apps/api/src/(app|compose[^/]*|routes|dashboard-routes)\\.ts$' },
    ),
    rule(
      'steps-below-processor',
      'steps do not know the process they are part of',
      {
        path: '^apps/[^/]+/src/(steps|attempt|calls|decisions|routing|responses|providers|inputs|images)/',
        pathNot: tests,
      },
      { path: '^apps/[^/]+/src/(process-[^/]+\\.ts$|sweeps/)' },
    ),
    rule(
      'providers-alone',
      'a provider knows the port, not another provider',
      { path: '^apps/generation-worker/src/providers/([^/]+)/', pathNot: tests },
      {
        path: '^apps/generation-worker/src/(steps/|providers/[^/]+/)',
        pathNot: '^apps/generation-worker/src/providers/($1|http)/',
      },
    ),
    ...wrapped,
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/dist/'] },
    exclude: { path: ['/dist/', '/generated/'] },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@image-gateway/source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.cjs', '.js', '.json', '.d.ts'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
