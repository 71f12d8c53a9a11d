import type { Mutant } from './mutant.js';

const worker = 'apps/generation-worker/src';
const permits = 'apps/generation-worker/test/permits.test.ts';

/** Defects in routes and in their permits. */
export const routeMutants: readonly Mutant[] = [
  {
    name: 'route-of-disabled-model',
    defect: 'a task of a model that was switched off takes the routes of the active version',
    edits: [
      {
        file: `${worker}/routing/find-routes.ts`,
        find: 'listEnabledModels(catalog, ENABLED_MODELS).some(',
        replace: '[...listEnabledModels(catalog, ENABLED_MODELS), ...catalog.models.values()].some(',
      },
    ],
    hunters: [`${worker}/routing/find-routes.test.ts`],
  },
  {
    name: 'permit-wakes-nobody',
    defect: 'a task without a free permit is not woken when one frees',
    edits: [
      {
        file: `${worker}/decisions/decide-attempt-end.ts`,
        find: '        waitsFor: later.candidates,\n',
        replace: '',
      },
    ],
    hunters: [permits],
  },
  {
    name: 'permit-costs-a-try',
    defect: 'a task without a free permit fails as if its provider had',
    edits: [
      {
        file: `${worker}/routing/plan-calls.ts`,
        find: '  if (busy.size > 0) {',
        replace: '  hasFailure ||= busy.size > 0;\n  if (busy.size > 0 && !hasFailure) {',
      },
    ],
    hunters: [permits],
  },
];
