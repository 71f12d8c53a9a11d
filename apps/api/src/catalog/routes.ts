import type { Catalog, ModelEdit } from '@image-gateway/shared/catalog/document';
import {
  applyBody,
  type CheckedDocumentView,
  checkDocumentBody,
  checkedDocumentView,
  checkPricesBody,
  draftBody,
  editedRoutesView,
  modelDraftView,
  modelMargin,
  modelsView,
  newVersion,
  pricesBody,
  publicModel,
  rollbackBody,
  routesBody,
} from '@image-gateway/shared/catalog/schema';
import { type Envelope, failure, KEY_SCOPES, ok } from '@image-gateway/shared/contract';
import { type Database, loadActiveCatalog } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { list } from '@image-gateway/shared/schema';
import type { DashboardDeps } from '../dashboard-deps.js';
import { type ApiRoute, defineApiRoute, defineRoute, operators } from '../http/define-route.js';
import type { Reply } from '../http/framework/call.js';
import { mayUseModel } from '../http/keys/key-rights.js';
import { examples } from '../http/openapi/examples.js';
import { dataReply } from '../http/session/data-reply.js';
import { listWorkerProviders, mergeProviders } from '../provider/list-worker-providers.js';
import { noteChanges } from './compare-documents.js';
import type { Offers } from './create-offers.js';
import { parseInThread } from './documents/parse-in-thread.js';
import { editSource } from './edit-catalog.js';
import { findWarnings } from './find-warnings.js';
import { judgeImpact } from './judge-impact.js';
import { applyModels, editOnPage, rollbackModels, setPrices } from './page/change-models.js';
import { draftRoutes, listEditedRoutes, setRoutes } from './page/change-routes.js';
import { draftModel } from './page/draft-model.js';
import { createMarginSum } from './page/sum-margins.js';
import { type OfferSettings, viewModels } from './page/view-models.js';
import { presentModel } from './present-model.js';
import { readVersion } from './rollback-catalog.js';
import { findVersion, VersionConflict } from './versions.js';
import { describePrevious, readContent } from './waiting/read-content.js';

const MARGIN_DAYS = 30;
const CONFLICT = 409;

/** Routes with which operators see and change the catalog. */
export function modelRoutes(deps: DashboardDeps) {
  const { db, books, operatorReads: reads } = deps;
  const sumMargins = createMarginSum(books, { days: MARGIN_DAYS });
  return [
    // The active catalog with prices, costs, health of routes, document and versions.
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/models',
      summary: 'Read the active catalog',
      response: modelsView,
      run: () => viewModels(reads, deps),
    }),
    // Revenue and cost of each model.
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/models/margins',
      summary: 'Read revenue and cost of each model',
      response: list(modelMargin),
      run: sumMargins,
    }),
    // The changes that a rollback to this version makes.
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/models/versions/:version',
      summary: 'Compare a version with the active one',
      response: checkedDocumentView,
      run: ({ params: { version = '' } }) => compareWithVersion({ ...deps, db: reads }, version),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/models/draft',
      summary: 'Draft a model',
      response: modelDraftView,

      body: draftBody,
      run: ({ input }) => draftModel(db, input),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/models/check',
      summary: 'Check a document',
      response: checkedDocumentView,

      body: checkDocumentBody,
      isLarge: true,
      run: ({ input }) => checkModels(deps, input.source),
    }),
    // A document without providers becomes the newest version.
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/models/apply',
      summary: 'Apply a document',
      response: newVersion,

      body: applyBody,
      isLarge: true,
      reply: ({ user, input: { note, ...change } }) =>
        replyToChange(applyModels(db, { ...change, note: note || null, actor: user.email })),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/models/prices',
      summary: 'Change prices and switches',
      response: newVersion,

      body: pricesBody,
      reply: ({ user, input }) => replyToChange(setPrices(db, { ...input, actor: user.email })),
    }),
    // Judgment of such a change, without making it.
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/models/prices/check',
      summary: 'Check a change of prices and switches',
      response: checkedDocumentView,
      body: checkPricesBody,
      run: ({ input }) => checkPrices(deps, input.models),
    }),
    // The routes of a model in the document, to be edited.
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/models/routes/:id',
      summary: 'Read the routes of a model in the document',
      response: editedRoutesView,
      run: ({ params: { id = '' } }) => listEditedRoutes({ ...deps, db: reads }, id),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/models/routes/:id',
      summary: 'Change the routes of a model and their order',
      response: newVersion,

      body: routesBody,
      reply: ({ user, params: { id = '' }, input }) =>
        replyToChange(setRoutes(db, { ...input, id, actor: user.email })),
    }),
    // Judgment of such a change, without making it.
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/models/routes/:id/check',
      summary: 'Judge a change of routes',
      response: checkedDocumentView,

      body: routesBody,
      reply: ({ params: { id = '' }, input }) => replyTo(checkRoutes(deps, { ...input, id })),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/models/rollback',
      summary: 'Go back to a version',
      response: newVersion,

      body: rollbackBody,
      reply: ({ user, input }) => replyToChange(rollbackModels(db, { ...input, actor: user.email })),
    }),
  ];
}

type JudgeDeps = OfferSettings & { readonly db: Pick<Database, 'run'> };

async function compareWithVersion(deps: JudgeDeps, version: string): Promise<CheckedDocumentView> {
  if (!/^[1-9]\d{0,8}$/.test(version)) {
    throw notFound('catalog version', version);
  }
  const stored = await findVersion(deps.db, Number(version));
  return judge(deps, { document: stored.document, catalog: readVersion(stored) });
}

/** Finds every fault of a document, or its warnings and what it would change. */
async function checkModels(deps: JudgeDeps, source: string): Promise<CheckedDocumentView> {
  const active = await findVersion(deps.db, null);
  const kept = await parseInThread('keepProviders', source, active.source);
  return 'faults' in kept ? showFaults(kept.faults) : checkSource(deps, kept.source);
}

async function checkPrices(deps: JudgeDeps, models: readonly ModelEdit[]): Promise<CheckedDocumentView> {
  const edited = await editSource(await findVersion(deps.db, null), editOnPage(models));
  return 'faults' in edited ? showFaults(edited.faults) : checkSource(deps, edited.source);
}

async function checkRoutes(
  deps: JudgeDeps,
  change: Parameters<typeof draftRoutes>[1],
): Promise<CheckedDocumentView> {
  const edited = await draftRoutes(deps.db, change);
  return 'faults' in edited ? showFaults(edited.faults) : checkSource(deps, edited.source);
}

async function checkSource(deps: JudgeDeps, source: string): Promise<CheckedDocumentView> {
  const checked = await readContent(deps.db, source);
  if ('former' in checked) {
    return showFaults(describePrevious(checked.former));
  }
  return 'faults' in checked ? showFaults(checked.faults) : judge(deps, checked);
}

const showFaults = (faults: CheckedDocumentView['faults']): CheckedDocumentView => ({
  faults,
  warnings: [],
  changes: [],
  impact: [],
});

/** Judges content that can be applied: what to think of, what it changes, and whom that concerns. */
async function judge(
  { db, listProviders, enabledModels }: JudgeDeps,
  { document, catalog }: { readonly document: unknown; readonly catalog: Catalog },
): Promise<CheckedDocumentView> {
  const [active, { catalog: before }, workers] = await Promise.all([
    findVersion(db, null),
    loadActiveCatalog(db),
    listWorkerProviders(db),
  ]);
  const providers = mergeProviders(listProviders(catalog), workers);
  const changes = noteChanges(active.document, document);
  return {
    faults: [],
    warnings: findWarnings(catalog, providers),
    changes,
    impact: await judgeImpact(db, { before, after: catalog, changes, enabledModels, providers }),
  };
}

/** Replies with the new version; with 409 when another one came in between. */
const replyToChange = (change: Promise<number>): Promise<Reply<Envelope<{ readonly version: number }>>> =>
  replyTo(change.then((made) => ({ version: made })));

/** Replies with what was found of a version; with 409 when it is no longer the newest. */
async function replyTo<T extends object>(found: Promise<T>): Promise<Reply<Envelope<T>>> {
  try {
    return dataReply(await found);
  } catch (error) {
    if (error instanceof VersionConflict) {
      return { status: CONFLICT, json: failure(error.code, error.publicMessage) };
    }
    throw error;
  }
}

/** Route of `/v1` that lists the models on offer that the key may use, with their prices. */
export const modelsApiRoute = ({
  offers,
  fileUrl,
}: {
  readonly offers: Pick<Offers, 'load'>;
  readonly fileUrl: string;
}): ApiRoute =>
  defineApiRoute({
    door: 'v1',
    method: 'get',
    path: '/v1/models',
    access: 'key',
    roles: KEY_SCOPES,
    id: 'listModels',
    summary: 'List the models on offer with their prices',
    description: 'Any key may ask. Models that the key may not use are left out.',
    response: list(publicModel),
    answer: { description: 'Every model on offer.', examples: { models: examples(fileUrl).models } },
    run: async ({ caller }) => {
      const { models: all } = await offers.load();
      const models = all.filter(({ id }) => mayUseModel(caller, id));
      return { status: 200, headers: { 'Cache-Control': 'no-store' }, json: ok(models.map(presentModel)) };
    },
  });
