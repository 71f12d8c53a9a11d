/** Figures of the same attacks against commit e440491, before any of the protections, by the name of the scenario. */
export const BEFORE: Readonly<Record<string, string>> = {
  'cancel-slow':
    'both workers ended themselves after 210 s and 228 s (60 jobs, 6 s each); 71 cancellations of 37 jobs',
  'image-bombs': 'one worker 4,804 MB; with two images 8,164 MB',
  'many-overdue': 'about 17 tasks a second, so ten minutes (partly read in the code)',
  'reads-held-up': 'submits p50 3,059 ms, slowest 5,900 ms, 3 of 10 refused',
  'redis-away-many-waiting': 'never claimed (60 s looked at), with 20 accounts waiting',
  'slow-inputs': 'edit 106 s, generation 52 s',
  'slow-readers': 'every download 500 for as long as the connections stayed (100 s looked at)',
  'storage-away-large': '5 of 8 paid answers thrown away',
  strangers: '400 of 400 forged keys and 1,000 of 1,000 invented names reached PostgreSQL',
  'webhook-flood': '36 s to 66 s',
};

/** Attack by one account or a stranger that a test shows rather than a scenario. */
export interface TestedAttack {
  readonly attack: string;
  readonly before: string;
  readonly now: string;
  /** File of the test, from the root of the repository. */
  readonly file: string;
  /** Title of the test, or a part of it. */
  readonly title: string;
}

/** Attacks that tests show, in the order of the page. */
export const TESTED_ATTACKS: readonly TestedAttack[] = [
  {
    attack: 'keys without end, against the request limit that an operator set for the account',
    before: 'limit of 5 a minute, 20 keys: 100 accepted; the playground took 30 more',
    now: 'one limit over all keys and the playground',
    file: 'apps/api/test/account-limits.test.ts',
    title: "is an operator's number where there is one, however many keys the account makes",
  },
  {
    attack: 'keys without end, made at once',
    before: 'any number',
    now: 'at most 100 active ones',
    file: 'apps/api/test/account-limits.test.ts',
    title: 'are a hundred active ones at most, also when they are made at once',
  },
  {
    attack: 'tasks that fail because of their requests, which cost nothing',
    before: '600 a minute and key, for ever',
    now: 'at most MAX_FAILED_TASKS, exactly, over all processes',
    file: 'packages/shared/test/billing/failed-tasks.test.ts',
    title: 'counts all that end at once in any process, and refuses all that are submitted at once',
  },
  {
    attack: 'downloads of input images from one victim',
    before: '5,400 a minute and key (read in the code)',
    now: 'bounded a minute per host over all workers',
    file: 'apps/generation-worker/test/host-limits.test.ts',
    title: 'are bounded a minute over all workers',
  },
  {
    attack: 'a demoted PostgreSQL whose sessions only read, which hits every account',
    before: '30 of 30 submits 500, 40 s after the end too; /readyz 200',
    now: 'submits and /readyz 503 meanwhile, and back within seconds; failover see above',
    file: 'apps/api/test/failover.test.ts',
    title: 'submits are 503, readyz is 503, and both are back within seconds',
  },
  {
    attack: 'wrong passwords for the log-in of an operator from many addresses',
    before: '110 from 11 addresses: the operator got 429 from a fresh one',
    now: 'a browser in which the operator logged in before gets in; the command line is open always',
    file: 'apps/api/test/dashboard/guessing.test.ts',
    title: 'a browser in which the user logged in before gets in, also from the address of those who guess',
  },
];
