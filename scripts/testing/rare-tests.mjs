/** Acceptance tests that prove rare things for minutes. `npm test` leaves them out unless --only names them; .ci/long runs them every night. */
export const RARE_TESTS = [
  'chained-gateways',
  'clients-killed',
  'facade-haproxy',
  'facade-nginx',
  'provider-keys',
  'who-spent',
].map((name) => `tests/acceptance/${name}.test.ts`);
