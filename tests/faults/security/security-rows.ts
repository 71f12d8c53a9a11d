/** The OWASP API Security Top 10 (2023): the risk, what the product does about it, and the tests that hold it. */
export const SECURITY_ROWS: readonly (readonly [risk: string, against: string, tests: string])[] = [
  [
    'API1 Broken object level authorization',
    "every query carries the account; another account's task is the same 404 as an unknown one",
    '`tests/acceptance/tasks.test.ts`, `apps/api/test/tasks.test.ts`, `apps/api/test/dashboard/isolation.test.ts`',
  ],
  [
    'API2 Broken authentication',
    'keys with 178 random bits, stored as SHA-256; expiry and revocation within 5 s; 20 wrong ones a minute and address; log-ins limited',
    '`tests/acceptance/authentication.test.ts`, `apps/api/test/dashboard/guessing.test.ts`, scenario `suspended-meanwhile`',
  ],
  [
    'API3 Broken object property level authorization',
    'named fields only, in and out; unknown ones are never stored; answers are checked against the OpenAPI document',
    '`tests/acceptance/generate-fields.test.ts`, `tests/acceptance/hostile-bodies.test.ts`',
  ],
  [
    'API4 Unrestricted resource consumption',
    'limits a key and an address, open tasks an account, bodies of 256 KiB, images of 10 MiB and 40 megapixels, slow clients cut',
    '`tests/acceptance/limits.test.ts`, `apps/api/test/slow-clients.test.ts`, scenarios `tenant-flood`, `slow-inputs`, `slow-readers`, `upstreams-nonsense`',
  ],
  [
    'API5 Broken function level authorization',
    'keys open /v1 only, sessions the dashboard only; operators are a role of their own',
    '`apps/api/test/dashboard/borders.test.ts`, `tests/acceptance/authentication.test.ts`',
  ],
  [
    'API6 Unrestricted access to sensitive business flows',
    'the price is held at submit; nothing runs without money; keys make repeats safe',
    '`tests/acceptance/money.test.ts`, scenarios `funds-for-some`, `one-key-for-all`, `one-top-up-often`',
  ],
  [
    'API7 Server side request forgery',
    'one guarded client: public addresses only, checked at the connection and on every redirect; webhooks follow none',
    '`packages/shared/src/runtime/{net,outbound}/*.test.ts`, `packages/shared/test/net`, scenario `receivers-bad`',
  ],
  [
    'API8 Security misconfiguration',
    'every setting checked at start; errors from one table without codes, hosts or stacks; secrets taken out of logs',
    '`apps/api/test/envelope.test.ts`, `packages/shared/src/runtime/logging/logging.test.ts`, scenario `secrets-planted`',
  ],
  [
    'API9 Improper inventory management',
    'one version, one document made from the same schemas as the checks; unknown routes are 404',
    '`tests/acceptance/documents.test.ts`, `apps/api/test/openapi.test.ts`, scenarios `api-fuzzed`, `dashboard-fuzzed`',
  ],
  [
    'API10 Unsafe consumption of APIs',
    'answers of providers are capped, sniffed, decoded and counted before an image is stored; unknown outcomes are not paid twice',
    'scenarios `upstreams-nonsense`, `upstreams-unknown`, `upstreams-jobs`; `apps/generation-worker/test/upstreams`',
  ],
];
