// Scenes and options of `npm run bench`: read before anything is built or started, and again by the program itself.
import { parseOptions, usageError } from '../scripts/options/parse-options.mjs';

/** Scenes and what they measure, in the order in which `all` runs them. */
export const SCENES = /** @type {const} */ ({
  submit:
    'accepted submits against bare Express, one statement alone and the plain way: --accounts, --quotes',
  poll: 'polls, 304 and list pages against the same two',
  'raw-limits': 'inserts, jobs and puts alone',
  pictures:
    'images of real size from a slow upstream, against the ideal and a naive pipeline: --latency, --size, --concurrency, --count, --store',
  serve: 'downloads against a bare Node proxy, and 200 slow readers: --size',
  'end-to-end':
    'tasks/s with a backlog, against puts alone: --store, --workers, --concurrency, --backlog, --accounts',
  writes: 'row writes and bytes of WAL a task, at 50 tasks/s and as fast as they come: --workers',
  webhooks: 'deliveries/s: --deliveries',
  endpoints: 'webhooks beside an account with ten dead endpoints: --deliveries',
  connections: 'tasks of a queued provider over TLS: connections kept, against a connection for each call',
  facade:
    'submits and memory of the API beside large answers and slow uploads of the OpenAI-compatible facade: --size, --rate',
  flood: 'one task beside the flood of another account: --tasks, --only fixed|slow|reads|edits|webhooks',
  processes: 'several processes: --counts, --only submit|end-to-end',
  growth:
    'reads with few and many rows: --sizes; --only account: each read and page of one account that has all --tasks',
  bytes: 'bytes of a finished task by table, and details that come and go: --tasks',
  memory: 'resident memory over many tasks: --tasks',
  catalog: 'submits and polls with the built-in catalog, and with 200 models after 20 versions',
  attacks: 'an API process and its neighbors while strangers or one key attack it: --only NAME',
  waiters: 'clients that wait for a task each on one API process: --count',
});

const text = /** @type {const} */ ({ type: 'string' });
const flag = /** @type {const} */ ({ type: 'boolean' });
const OPTIONS = {
  rounds: text,
  seconds: text,
  'warm-up': text,
  connections: text,
  only: text,
  node: text,
  folder: text,
  latency: text,
  size: text,
  concurrency: text,
  count: text,
  store: text,
  workers: text,
  backlog: text,
  accounts: text,
  deliveries: text,
  quotes: text,
  tasks: text,
  counts: text,
  sizes: text,
  rate: text,
  beside: text,
  record: flag,
  guard: flag,
};
/** Scenes of `quick`, and their options where none are given. */
const QUICK = {
  scenes: ['submit', 'poll', 'webhooks', 'end-to-end'],
  values: { rounds: '5', seconds: '2', 'warm-up': '5', deliveries: '3000', store: 'stub' },
};
const NUMBERS = ['rounds', 'seconds', 'connections', 'concurrency', 'count', 'workers', 'backlog', 'quotes'];

const scenes = Object.entries(SCENES).map(([name, what]) => `  ${name.padEnd(12)} ${what}`);
const USAGE = `Usage: npm run bench -- SCENE… [options]

Starts PostgreSQL, Redis and an object store of its own, runs the scenes, and removes everything.

${scenes.join('\n')}
  quick        submit, poll, webhooks, and end-to-end with a stub store, in short rounds; takes five minutes
  all          every scene; takes more than half an hour

  --record             keeps the figures in bench/results, and writes the table and charts of bench/README.md
  --guard              fails when a ratio is more than a tenth below the newest kept one, twice in a row

  --rounds N           rounds of each contestant, 5 by default
  --seconds N          length of a round, 3 by default
  --warm-up N          seconds before the first round, 8 by default
  --connections N      of the load generator, 64 by default
  --beside DIR         runs another checkout, which is built, in turn with this one in submit and poll: before and after
  --only NAME          runs one contestant, or one part of a scene
  --node "OPTIONS"     options of node for the product's processes, such as "--cpu-prof --cpu-prof-dir=DIR"
  --folder DIR         where logs and data go, and stay; by default a temporary folder, which a whole run removes
  --latency A-B        seconds that the upstream of pictures takes, 5-15 by default; one number for all at once
  --size N             megabytes of an image of pictures and serve, 1.5 by default; of facade, 8
  --rate N             megabytes that each client of facade reads a second, 1 by default
  --concurrency N      tasks of a worker at a time: 512 in pictures, 64 in end-to-end by default
  --quotes N           quotes a second that the product answers beside the submits, none by default
  --count N            images that pictures counts, as many as come in rounds × seconds by default; clients of waiters
  --store NAME         stub, embedded or minio; end-to-end takes all by default, pictures and facade embedded
  -h, --help           prints this`;

/**
 * Reads the scenes and options of the bench. Returns null after `--help`. Throws an error that is named UsageError for anything
 * that does not exist.
 * @param {string[]} args
 */
export function readBenchOptions(args) {
  // The value of `--node` begins with dashes, which only counts as a value behind an equals sign.
  const at = args.indexOf('--node');
  const joined = at < 0 ? args : args.toSpliced(at, 2, `--node=${args[at + 1] ?? ''}`);
  const parsed = parseOptions(USAGE, { args: joined, options: OPTIONS, allowPositionals: true });
  if (parsed === null) {
    return null;
  }
  const { record = false, guard = false, ...given } = /** @type {Record<string, any>} */ (parsed.values);
  const positionals = /** @type {string[]} */ (parsed.positionals);
  const isQuick = positionals.includes('quick');
  const values = /** @type {Readonly<Record<string, string | undefined>>} */ ({
    ...(isQuick && QUICK.values),
    ...given,
  });
  const names = Object.keys(SCENES);
  const unknown = positionals.filter((name) => !['all', 'quick'].includes(name) && !names.includes(name));
  if (unknown.length > 0 || positionals.length === 0) {
    const what = unknown.length > 0 ? `There is no scene ${unknown.join(', ')}.` : 'Name at least one scene.';
    throw usageError(what, USAGE);
  }
  for (const name of NUMBERS) {
    if (values[name] !== undefined && !/^[1-9]\d{0,8}$/.test(values[name])) {
      throw usageError(
        `--${name} needs a positive whole number, not ${JSON.stringify(values[name])}.`,
        USAGE,
      );
    }
  }
  if (record === true && values.beside !== undefined) {
    throw usageError('--record keeps the figures of this checkout alone: leave out --beside.', USAGE);
  }
  const asked = [...positionals, ...(isQuick ? QUICK.scenes : [])];
  const wanted = asked.includes('all') ? names : names.filter((name) => asked.includes(name));
  return {
    scenes: /** @type {(keyof typeof SCENES)[]} */ (wanted),
    values,
    isQuick,
    record: record === true,
    guard: guard === true,
  };
}
