import { MUTANTS } from '../mutants/defects/all-mutants.js';
import { SPECIFICATION } from '../mutants/defects/specification-mutants.js';
import type { MutantResult } from '../mutants/mutant.js';
import { SECURITY_ROWS } from '../security/security-rows.js';
import { alertChapter } from './alert-chapter.js';
import { failoverChapter } from './failover-chapter.js';
import { markdownTable as table } from './markdown-table.js';
import type { RunSummary } from './run-summary.js';
import { tenantChapter } from './tenant-chapter.js';

interface Figures {
  readonly runs: readonly RunSummary[];
  /** Runs of some scenarios. */
  readonly parts: readonly RunSummary[];
  readonly mutants: readonly MutantResult[];
  readonly security: readonly string[];
}

/** The pages about reliability, by their files in `docs`, from the figures of the runs that are kept. */
export function renderReliability(figures: Figures): Readonly<Record<string, string>> {
  const { runs, parts } = figures;
  const last = runs.at(-1);
  return {
    'reliability.md': summaryPage(figures),
    'reliability-faults.md': `# Faults that were injected

Written by \`npm run test:faults -- --record\`. [Reliability](reliability.md) says how it is judged.

## Faults and what came of them

${last ? `Of the run with seed ${last.seed}. "Rest" is the time from the end of the fault until no task was pending.\n\n${faultTable(last)}` : 'No run is kept.'}

${last ? closingTable(last) : ''}

${alertChapter([...runs, ...parts])}

${tenantChapter([...runs, ...parts])}
`,
    'reliability-defects.md': `# Deliberate defects

Written by \`npm run test:mutants -- --record\`. Each defect is made in a copy of the checkout, where a test or the laboratory must find it.

${mutantTable(known(figures.mutants))}
`,
  };
}

/** Leaves out what was found of defects that exist no more. */
function known(mutants: readonly MutantResult[]): MutantResult[] {
  return mutants.filter(({ name }) => MUTANTS.some((one) => one.name === name));
}

function summaryPage({ runs, parts, mutants: all, security }: Figures): string {
  const mutants = known(all);
  const caught = mutants.filter(({ caughtBy }) => caughtBy !== null).length;
  return `# Reliability

This page is written by the fault laboratory itself (\`npm run test:faults -- --record\`); its figures stand in \`tests/faults/results\`.

## Watching it

\`\`\`sh
npm run test:faults                              # everything once; the seed is printed
npm run test:faults -- --seed 7 --only postgres  # some scenarios, with the same draws as before
npm run test:faults -- --soak 30                 # and random faults until half an hour is over
npm run test:mutants                             # deliberate defects, each of which must be found
npm run test:security                            # fuzzing (schemathesis where there is Python), planted secrets, dependency audit
\`\`\`

The laboratory starts the real product, two APIs, two generation workers and a webhook worker, on a PostgreSQL, a Redis and an object store of its own.
Between each process and each service stands a proxy that can delay, hold back, refuse, reset, cut and throttle; before the object store one that lies;
behind the workers stand stub upstreams. Clients note of each request whether it was accepted, refused, or cannot be known; a receiver keeps every webhook.
Then the whole history is judged: nothing accepted is lost, nothing refused has left anything, each task is charged once for the images that are stored,
webhooks arrive under one id, signed and saying what the API says, and every image is there, byte for byte. The live invariants of
[prisma/invariants.sql](../prisma/invariants.sql) are checked all the time. Times are short there: lease 2 s, sweep 0.5 s.

## Runs

${table(
  [
    'Seed',
    'Commit',
    'Begun',
    'Tasks',
    'Faults put in',
    'Live checks',
    'Histories simulated',
    'Seconds',
    'Found',
  ],
  runs.map((run) => [
    run.seed,
    run.commit,
    run.startedAt.slice(0, 16),
    run.tasks,
    run.injected,
    run.liveChecks,
    run.simulation?.histories ?? '-',
    run.tookSeconds,
    run.green
      ? 'nothing'
      : run.scenarios
          .filter(({ faults }) => faults.length > 0)
          .map(({ name }) => name)
          .join(', ') || 'see closing checks',
  ]),
)}

[What each fault did](reliability-faults.md): the faults of the last run, the alerts that they set off, and what one tenant can do to another.

${failoverChapter([...runs, ...parts])}

## Mutants

${caught} of ${mutants.length} judged deliberate defects were found, each in a copy of the checkout: [the list](reliability-defects.md), with the commit that each was judged on.

## Security

The rows of the OWASP API Security Top 10 (2023), and the tests that hold each.

${table(['Risk', 'What stands against it', 'Tests'], SECURITY_ROWS)}

${security.length > 0 ? `Last result of \`npm run test:security\`:\n\n${security.map((line) => `- ${line.replace(/\s+/g, ' ')}`).join('\n')}` : ''}
`;
}

function faultTable({ scenarios }: RunSummary): string {
  const rows = [...scenarios]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, fault, outcome, injected, submissions, tasks, restMs, figures, faults }) => [
      name,
      fault,
      outcome,
      injected,
      `${submissions.accepted} / ${submissions.refused} / ${submissions.unknown}`,
      `${tasks.completed} / ${tasks.failed}`,
      `${(restMs / 1_000).toFixed(1)} s`,
      faults.length === 0
        ? ['held', ...Object.entries(figures).map(([what, n]) => `${what} ${n}`)].join('; ')
        : faults.join('; '),
    ]);
  return table(
    [
      'Scenario',
      'Fault',
      'What must hold',
      'Put in',
      'Accepted / refused / unknown',
      'Completed / failed',
      'Rest',
      'Outcome',
    ],
    rows,
  );
}

function closingTable({ closing }: RunSummary): string {
  const rows = closing.map(({ what, faults }) => [what, faults.length === 0 ? 'held' : faults.join('; ')]);
  return `At the end of the run:\n\n${table(['Check', 'Outcome'], rows)}`;
}

function mutantTable(all: readonly MutantResult[]): string {
  const isOfTable = ({ name }: Pick<MutantResult, 'name'>): boolean => name.startsWith(SPECIFICATION);
  const rules = all.filter(isOfTable);
  const mutants = all.filter((one) => !isOfTable(one));
  const judged = mutants.map(({ name, defect, caughtBy, seen, commit }) => [
    name,
    defect,
    caughtBy ?? 'NOTHING',
    seen,
    commit ?? '-',
  ]);
  const open = MUTANTS.filter((one) => !isOfTable(one) && !mutants.some(({ name }) => one.name === name));
  const rows = [...judged, ...open.map(({ name, defect }) => [name, defect, 'not judged yet', '-', '-'])];
  const red = rules.filter(({ caughtBy }) => caughtBy !== null).length;
  const total = MUTANTS.filter(isOfTable).length;
  return `${table(['Mutant', 'Defect', 'Found by', 'What was seen', 'Commit'], rows)}

Of the ${total} rows of the [table of the specification](../tests/acceptance/specification.md) that a test holds, ${rules.length} were made false
one by one (\`npm run test:mutants -- --only specification\`): ${red} times the test that the row names was red.`;
}
