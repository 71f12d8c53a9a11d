import type { Mutant } from '../mutant.js';

const tell = 'packages/shared/src/domain/db/endpoint-deliveries/tell-operators.ts';
const needs = 'apps/api/src/provider/provider-needs.ts';
const moderated = 'apps/api/src/provider/moderated-accounts.ts';
const retirements = 'packages/shared/src/domain/catalog/document/retirements.ts';
const refusals = 'apps/api/src/provider/refusals.ts';
const needTests = 'apps/api/test/operator-needs.test.ts';
const refusalTests = 'apps/api/test/provider-refusals.test.ts';

/** Defects in what operators are told of providers, models and moderation. */
export const needMutants: readonly Mutant[] = [
  {
    name: 'stated-end-unread',
    defect: 'the ends that the lists of vendors state are not judged',
    edits: [
      {
        file: needs,
        find: 'const models = withStatedEnds(new Map(enabled.map((model) => [model.id, model])), stated);',
        replace:
          'const models = withStatedEnds(new Map(enabled.map((model) => [model.id, model])), stated.slice(stated.length));',
      },
    ],
    hunters: [needTests],
  },
  {
    name: 'look-of-each-worker',
    defect: 'each worker asks the providers which of their models end',
    edits: [
      {
        file: 'apps/generation-worker/src/checks/look-for-ends.ts',
        find: "if (!(await takeSweepTurn(db, { name: 'look-for-ends', everyMs: TURN_MS }))) {",
        replace: "if (!(await takeSweepTurn(db, { name: newId('chk'), everyMs: TURN_MS }))) {",
      },
    ],
    hunters: ['apps/generation-worker/test/look-for-ends.test.ts'],
  },
  {
    name: 'need-told-again',
    defect: 'what was told in a window is told with each look',
    edits: [
      {
        file: tell,
        find: '  ON CONFLICT DO NOTHING RETURNING cause, starts_on)',
        replace:
          '  ON CONFLICT (type, cause, starts_on) DO UPDATE SET starts_on = EXCLUDED.starts_on RETURNING cause, starts_on)',
      },
    ],
    hunters: [needTests, refusalTests],
  },
  {
    name: 'need-noted-unheard',
    defect: 'what nobody hears of counts as told',
    edits: [
      {
        file: tell,
        find: "WHERE EXISTS (SELECT FROM endpoints e WHERE e.account_id IS NULL AND e.disabled_at IS NULL AND '${type}' = ANY (e.types))",
        replace: 'WHERE true',
      },
    ],
    hunters: [needTests, refusalTests],
  },
  {
    name: 'moderated-at-twenty',
    defect: 'an account is named at 20 refusals',
    edits: [
      {
        file: moderated,
        find: 'HAVING count(*) > ${MAX_REFUSALS}',
        replace: 'HAVING count(*) >= ${MAX_REFUSALS}',
      },
    ],
    hunters: [needTests],
  },
  {
    name: 'moderated-by-provider',
    defect: 'refusals of an account count for each provider by itself',
    edits: [
      { file: moderated, find: 'OVER (PARTITION BY a.id)', replace: 'OVER (PARTITION BY a.id, c.provider)' },
    ],
    hunters: [needTests],
  },
  {
    name: 'need-ended-by-any-key',
    defect: 'a success of another key ends the need of a refused one',
    edits: [
      {
        file: refusals,
        find: 's.provider = r.provider AND s.key_fingerprint IS NOT DISTINCT FROM r.key_fingerprint',
        replace: 's.provider = r.provider',
      },
    ],
    hunters: [refusalTests],
  },
  {
    name: 'need-of-one-key',
    defect: 'the second refused key of a provider is not told',
    edits: [
      {
        file: refusals,
        find: "[detail, provider, model ?? '', keyFingerprint ?? '']",
        replace: "[detail, provider, model ?? '']",
      },
    ],
    hunters: [refusalTests],
  },
  {
    name: 'need-outlives-its-key',
    defect: 'a refused key that no worker has any more needs an operator',
    edits: [{ file: refusals, find: '  return hasKey && workers', replace: '  return workers' }],
    hunters: [refusalTests],
  },
  {
    name: 'need-outlives-its-route',
    defect: 'a refusal of a route that no model on offer has needs an operator',
    edits: [
      {
        file: refusals,
        find: 'if (workers.length === 0 || !isRouted) {\n    return isRouted;',
        replace: 'if (workers.length === 0) {\n    return true;',
      },
    ],
    hunters: [refusalTests],
  },
  {
    name: 'ending-told-once-for-both',
    defect: 'the day on which a model ends is not told when its announcement was',
    edits: [{ file: retirements, find: "return 'ended';", replace: "return 'ends-soon';" }],
    hunters: [needTests],
  },
  {
    name: 'ending-too-late',
    defect: 'operators hear of the end of a model 29 days before',
    edits: [{ file: retirements, find: 'const WARNING_DAYS = 30;', replace: 'const WARNING_DAYS = 29;' }],
    hunters: [needTests],
  },
  {
    name: 'ending-not-told-again',
    defect:
      'operators who were told of the end of a model a month before are not told again in its last week',
    edits: [{ file: retirements, find: "? 'ends-soon' : 'ends'", replace: "? 'ends' : 'ends'" }],
    hunters: [needTests],
  },
  {
    name: 'refused-model-unsaid',
    defect: 'nobody is told of a model whose only provider has no money left',
    edits: [
      { file: needs, find: 'return routes.length === 0 || reasons.includes(null)', replace: 'return true' },
    ],
    hunters: [refusalTests],
    red: 'the only provider in use without money is a fault of doctor, and operators are told which model is not drawn',
  },
];
