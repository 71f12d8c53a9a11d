import type { Mutant } from '../mutant.js';

const ceilings = 'prisma/functions/provider_limits.sql';
const ceilingTests = 'apps/generation-worker/test/ceilings.test.ts';

/** Defects in ceilings and pauses of providers. */
export const ceilingMutants: readonly Mutant[] = [
  {
    name: 'ceiling-without-lock',
    defect: 'workers that start calls at the same moment do not see what the others spend',
    edits: [
      {
        file: ceilings,
        find: "    PERFORM pg_advisory_xact_lock(hashtext('upstream_costs'));\n",
        replace: '',
      },
    ],
    hunters: [ceilingTests],
  },
  {
    name: 'ceiling-call-by-call',
    defect: 'calls of one statement are compared with the ceiling one by one',
    edits: [
      {
        file: ceilings,
        find: 'used := used || jsonb_build_object(providers[place], own);',
        replace: 'NULL;',
      },
    ],
    hunters: [ceilingTests],
  },
  {
    name: 'ceiling-without-open-calls',
    defect: 'open calls do not count for a ceiling',
    edits: [
      {
        file: ceilings,
        find: "o.state IN ('started', 'submitted') AND",
        replace: "o.state = 'none' AND",
      },
    ],
    hunters: [ceilingTests],
  },
  {
    name: 'ceiling-of-all-days',
    defect: 'what calls of earlier days cost counts for the ceiling of today',
    edits: [
      {
        file: ceilings,
        find: 'WHERE h.hour >= day.starts AND',
        replace: 'WHERE',
      },
    ],
    hunters: [ceilingTests],
  },
  {
    name: 'pause-for-nobody',
    defect: 'calls of a paused provider start',
    edits: [
      {
        file: ceilings,
        find: "refusal := 'paused';\n      RETURN NEXT;",
        replace: "refusal := 'paused';",
      },
    ],
    hunters: [ceilingTests],
  },
  {
    name: 'cut-calls-are-free',
    defect: 'a call that was cut, and may be billed, counts as free for ceilings and margins',
    edits: [
      {
        file: 'apps/generation-worker/src/decisions/decide-call-outcome.ts',
        find: 'call.recordsFirst ? 0n : listed(requested)',
        replace: 'call.recordsFirst ? 0n : 0n * listed(requested)',
      },
    ],
    hunters: ['apps/generation-worker/src/decisions/decide-call-outcome.test.ts'],
  },
];
