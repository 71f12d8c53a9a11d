import type { Mutant } from '../mutant.js';

const impact = 'apps/api/src/catalog/judge-impact.ts';
const documents = 'packages/shared/src/domain/catalog/document';

/** Defects in how versions of the catalog are read, applied and followed. */
export const catalogMutants: readonly Mutant[] = [
  {
    name: 'documents-without-time-limit',
    defect: 'a document keeps its thread for as long as the parser takes',
    edits: [
      {
        file: 'apps/api/src/catalog/documents/parse-in-thread.ts',
        find: 'withTimeout(MAX_SECONDS * 1_000, ask(',
        replace: 'withTimeout(MAX_SECONDS * 100_000, ask(',
      },
    ],
    hunters: ['apps/api/test/dashboard/slow-documents.test.ts'],
  },
  {
    name: 'slow-thread-kept',
    defect: 'a thread that still parses a refused document gets the next one',
    edits: [
      {
        file: 'apps/api/src/catalog/documents/parse-in-thread.ts',
        find: '      await thread.terminate();\n      return refuse(`takes longer',
        replace: '      keepSpare(thread);\n      return refuse(`takes longer',
      },
    ],
    hunters: ['apps/api/test/dashboard/slow-documents.test.ts'],
  },
  {
    name: 'price-of-settlement',
    defect: 'a task costs the price at its end instead of that at its submit',
    edits: [
      {
        file: 'packages/shared/src/domain/billing/settle-task.ts',
        find: '  const costMicros = completed ? task.unitMicros * BigInt',
        replace: `  const [newest] = await deps.db.run<{ readonly price: string }>(
    {
      name: 'newest-price',
      text: "SELECT round((document #>> ARRAY['models', $1, 'price', '1k'])::numeric * 1000000)::text AS price FROM catalog_versions ORDER BY id DESC LIMIT 1",
    },
    [task.model],
  );
  const costMicros = completed ? BigInt(newest?.price ?? 0) * BigInt`,
      },
    ],
    hunters: ['apps/api/test/catalog-changes.test.ts'],
  },
  {
    name: 'plain-price-sells-quality',
    defect: 'a plain price sells a quality that is dearer than what the route draws by default',
    edits: [
      {
        file: `${documents}/prices.ts`,
        find: 'return QUALITIES.slice(0, QUALITIES.indexOf(drawn) + 1).filter(',
        replace: 'return QUALITIES.slice(0).filter(',
      },
    ],
    hunters: [`${documents}/prices.test.ts`],
  },
  {
    name: 'plain-price-of-any-quality',
    defect: 'a request for a quality is sold at the plain price of its model',
    edits: [
      {
        file: `${documents}/prices.ts`,
        find: "if (unitMicros === undefined || (typeof price !== 'object' && quality !== null)) {",
        replace: 'if (unitMicros === undefined) {',
      },
    ],
    hunters: [`${documents}/prices.test.ts`],
  },
  {
    name: 'cost-of-another-quality',
    defect: 'a plain cost counts for every quality that a route takes',
    edits: [
      {
        file: `${documents}/prices.ts`,
        find: 'return quality === null || quality === drawn ? cost : undefined;',
        replace: 'return cost;',
      },
    ],
    hunters: [`${documents}/prices.test.ts`],
  },
  {
    name: 'faulty-version-active',
    defect: 'a stored version with faults becomes the active one',
    edits: [
      {
        file: `${documents}/check-document.ts`,
        find: 'if (first) {',
        replace: 'if (first && first.path.length < 0) {',
      },
    ],
    hunters: ['apps/api/test/catalog.test.ts'],
  },
  {
    name: 'refused-version-applied',
    defect: 'a document with faults is applied',
    edits: [
      {
        file: `${documents}/check-document.ts`,
        find: 'return faults.length > 0 ? { faults }',
        replace: 'return faults.length > 1_000 ? { faults }',
      },
    ],
    hunters: ['apps/api/test/cli/catalog.test.ts'],
  },
  {
    name: 'stale-change-applied',
    defect: 'a change is applied although another version followed the one that it started from',
    edits: [
      {
        file: 'packages/shared/src/domain/db/catalog-versions/insert-catalog-version.ts',
        find: 'SELECT $1::int + 1, $2,',
        replace: 'SELECT (SELECT max(id) FROM catalog_versions) + 1, $2,',
      },
      {
        file: 'packages/shared/src/domain/db/catalog-versions/insert-catalog-version.ts',
        find: '   WHERE $1::int = (SELECT max(id) FROM catalog_versions) RETURNING',
        replace: '   WHERE $1::int IS NOT NULL RETURNING',
      },
    ],
    hunters: ['apps/api/test/cli/catalog.test.ts'],
  },
  {
    name: 'disabled-model-offered',
    defect: 'a model that is switched off is on offer',
    edits: [
      {
        file: `${documents}/find-model-routes.ts`,
        find: 'setting.includes(id) : enabled',
        replace: 'setting.includes(id) : true || enabled',
      },
    ],
    hunters: ['apps/api/test/catalog.test.ts'],
  },
  {
    name: 'file-undoes-a-change',
    defect: 'a start with a changed CATALOG_FILE undoes the change of an operator',
    edits: [
      {
        file: 'apps/api/src/catalog/sync-catalog.ts',
        find: 'if (origins.editId !== null && !force) {',
        replace: 'if (origins.editId === 0 && !force) {',
      },
    ],
    hunters: ['apps/api/test/cli/catalog-sync.test.ts'],
  },
  {
    name: 'page-takes-providers',
    defect: 'the page of operators accepts a document with providers',
    edits: [
      {
        file: `${documents}/edit-document.ts`,
        find: '  if (document.has(PROVIDERS)) {',
        replace: '  if (document.has(PROVIDERS) && source === active) {',
      },
    ],
    hunters: ['apps/api/test/dashboard/models.test.ts'],
  },
  {
    name: 'route-of-disabled-model',
    defect: 'a task of a model that was switched off takes the routes of the active version',
    edits: [
      {
        file: 'apps/generation-worker/src/routing/find-routes.ts',
        find: 'listEnabledModels(catalog, ENABLED_MODELS).some(',
        replace: '[...listEnabledModels(catalog, ENABLED_MODELS), ...catalog.models.values()].some(',
      },
    ],
    hunters: ['apps/generation-worker/src/routing/find-routes.test.ts'],
  },
  {
    name: 'permit-wakes-nobody',
    defect: 'a task without a free permit is not woken when one frees',
    edits: [
      {
        file: 'apps/generation-worker/src/decisions/decide-attempt-end.ts',
        find: '        waitsFor: later.candidates,\n',
        replace: '',
      },
    ],
    hunters: ['apps/generation-worker/test/permits.test.ts'],
  },
  {
    name: 'permit-costs-a-try',
    defect: 'a task without a free permit fails as if its provider had',
    edits: [
      {
        file: 'apps/generation-worker/src/routing/plan-calls.ts',
        find: '  if (busy.size > 0) {',
        replace: '  hasFailure ||= busy.size > 0;\n  if (busy.size > 0 && !hasFailure) {',
      },
    ],
    hunters: ['apps/generation-worker/test/permits.test.ts'],
  },
  {
    name: 'no-route-told-as-internal',
    defect: 'a task that no provider in use can draw ends as an internal error',
    edits: [
      {
        file: 'apps/generation-worker/src/decisions/decide-attempt-end.ts',
        find: 'REASONS.refusedInput : REASONS.upstream',
        replace: 'REASONS.refusedInput : REASONS.internal',
      },
    ],
    hunters: ['apps/generation-worker/test/no-route.test.ts'],
  },
  {
    name: 'no-route-silent',
    defect: 'no operator learns of a task that no provider in use can draw',
    edits: [
      {
        file: 'apps/generation-worker/src/steps/generate.ts',
        find: 'if (missing > 0 && !hasRoute) {',
        replace: 'if (missing < 0 && !hasRoute) {',
      },
    ],
    hunters: ['apps/generation-worker/test/no-route.test.ts'],
  },
  {
    name: 'undrawable-model-offered',
    defect: 'a model that no provider in use can draw is on offer',
    edits: [
      {
        file: 'apps/api/src/provider/watch-providers.ts',
        find: 'return drawable.filter(({ routes }) => routes.length > 0);',
        replace: 'return drawable.filter(({ routes }) => routes.length >= 0);',
      },
    ],
    hunters: ['apps/api/test/drawable-models.test.ts'],
  },
  {
    name: 'former-release-not-counted',
    defect: 'a document becomes a version that running processes of the former release cannot read',
    edits: [
      {
        file: 'apps/api/src/catalog/waiting/read-content.ts',
        find: 'const readers = upgraded ? [] :',
        replace: "const readers = upgraded || source !== '' ? [] :",
      },
    ],
    hunters: ['apps/api/test/cli/catalog-upgrade.test.ts'],
  },
  {
    name: 'former-api-not-counted',
    defect: 'API processes of the former release do not hold a document up',
    edits: [
      {
        file: 'apps/api/src/catalog/waiting/read-content.ts',
        find: "'/', 1) = 'image-gateway-api'",
        replace: "'/', 1) = 'api'",
      },
    ],
    hunters: ['apps/api/test/cli/catalog-upgrade.test.ts'],
  },
  {
    name: 'rollback-over-former-release',
    defect: 'a rollback makes a version that running processes of the former release cannot read',
    edits: [
      {
        file: 'apps/api/src/catalog/rollback-catalog.ts',
        find: 'if (former !== null) {',
        replace: 'if (former?.processes.length === 0) {',
      },
    ],
    hunters: ['apps/api/test/cli/catalog-upgrade.test.ts'],
  },
  {
    name: 'waiting-file-undoes-a-change',
    defect:
      'a file that waited for the end of the former release undoes a change that an operator made meanwhile',
    edits: [
      {
        file: 'apps/api/src/catalog/sync-catalog.ts',
        find: '(origins?.editId ?? 0) > from',
        replace: '(origins?.editId ?? 0) < from',
      },
    ],
    hunters: ['apps/api/test/cli/catalog-upgrade.test.ts'],
  },
  {
    name: 'quality-not-in-usage',
    defect: 'usage records do not say which quality was paid for',
    edits: [
      {
        file: 'packages/shared/src/domain/presenters/present-usage.ts',
        find: 'record.quality !== null && {',
        replace: 'record.quality !== null && record.units < 0 && {',
      },
    ],
    hunters: ['apps/api/test/usage-export.test.ts'],
  },
  {
    name: 'qualities-of-days-lost',
    defect: 'sums by day and quality take whole days for usage at plain prices',
    edits: [
      {
        file: 'packages/shared/src/domain/db/usage/sum-usage.ts',
        find: 'hour || quality ? { days: EMPTY',
        replace: 'hour ? { days: EMPTY',
      },
    ],
    hunters: ['apps/api/test/usage-export.test.ts'],
  },
  {
    name: 'own-model-merged',
    defect: 'a complete model of an operator takes fields of a built-in model of the same name',
    edits: [
      {
        file: 'packages/shared/src/domain/catalog/document/merge-documents.ts',
        find: 'isComplete(id, entry) ? entry :',
        replace: 'isComplete(id, {}) ? entry :',
      },
    ],
    hunters: ['packages/shared/src/domain/catalog/document/built-in-document.test.ts'],
  },
  {
    name: 'stored-route-judged-anew',
    defect: 'an edit is refused because of a route that is stored, and that only a newer rule refuses',
    edits: [
      {
        file: `${documents}/find-protocol-faults.ts`,
        find: 'before === null ? [] : judge(before)',
        replace: 'before === null ? [] : judge(before).slice(0, 0)',
      },
    ],
    hunters: [`${documents}/find-protocol-faults.test.ts`],
  },
  {
    name: 'edit-without-the-image',
    defect: "a model of BFL that takes no input image is asked for edits and draws without the customer's",
    edits: [
      {
        file: 'apps/generation-worker/src/providers/bfl/build-request.ts',
        find: 'if (field === null) {',
        replace: 'if (inputs.length < 0) {',
      },
    ],
    hunters: ['apps/generation-worker/test/providers/bfl.test.ts'],
  },
  {
    name: 'leap-unasked',
    defect: 'a price that is a tenth of the one before is applied at once',
    edits: [{ file: impact, find: ' || to * LEAP <= from)', replace: ')' }],
    hunters: ['apps/api/test/cli/catalog-terms.test.ts'],
  },
  {
    name: 'leap-agreed-by-any-amount',
    defect: 'any amount that is typed agrees to a price that changes by a factor of ten',
    edits: [
      {
        file: impact,
        find: 'agreed.some((amount) => readTyped(amount) === to)',
        replace: 'agreed.some((amount) => readTyped(amount) !== null || to === amount)',
      },
    ],
    hunters: ['apps/api/test/dashboard/price-changes.test.ts'],
  },
];
