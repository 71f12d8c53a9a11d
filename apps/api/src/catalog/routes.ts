import { type DashboardApi, type Envelope, failure } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import type { DashboardDeps } from '../dashboard-deps.js';
import type { Reply } from '../http/framework/call.js';
import { dataReply } from '../http/session/data-reply.js';
import { readBody } from '../http/session/read-body.js';
import { type DashboardRoute, operator } from '../http/session/route.js';
import { listWorkerProviders, mergeProviders } from '../provider/list-worker-providers.js';
import { noteChanges } from './compare-documents.js';
import { parseInThread } from './documents/parse-in-thread.js';
import { findWarnings } from './find-warnings.js';
import { applyBody, checkBody, draftBody, pricesBody, rollbackBody } from './model-bodies.js';
import { applyModels, rollbackModels, setPrices } from './page/change-models.js';
import { draftModel } from './page/draft-model.js';
import type { ListProviders } from './page/list-providers.js';
import { createMarginSum } from './page/sum-margins.js';
import { viewModels } from './page/view-models.js';
import { findVersion, VersionConflict } from './versions.js';
import { describeFormer, readContent } from './waiting/read-content.js';

const MARGIN_DAYS = 30;
const CONFLICT = 409;

type Check = DashboardApi['post /operator/models/check']['data'];

/** Routes with which operators see and change the catalog. */
export function modelRoutes(deps: DashboardDeps): readonly DashboardRoute[] {
  const { db, books, operatorReads: reads } = deps;
  const sumMargins = createMarginSum(books, { days: MARGIN_DAYS });
  return [
    // The active catalog with prices, costs, health of routes, document and versions.
    operator('get /operator/models', { run: () => viewModels(reads, deps) }),
    // Revenue and cost of each model.
    operator('get /operator/models/margins', { run: sumMargins }),
    // The changes that a rollback to this version makes.
    operator('get /operator/models/versions/:version', {
      run: ({ params: { version = '' } }) => compareWithVersion(reads, version),
    }),
    operator('post /operator/models/draft', {
      body: draftBody,
      run: ({ input }) => draftModel(db, input),
    }),
    operator('post /operator/models/check', {
      body: 'document',
      run: ({ body }) => checkModels(deps, readBody(checkBody, body).source),
    }),
    // A document without providers becomes the newest version.
    operator('post /operator/models/apply', {
      body: 'document',
      reply: ({ user, body }) => {
        const { note, ...change } = readBody(applyBody, body);
        return replyToChange(applyModels(db, { ...change, note: note || null, actor: user.email }));
      },
    }),
    operator('post /operator/models/prices', {
      body: pricesBody,
      reply: ({ user, input }) => replyToChange(setPrices(db, { ...input, actor: user.email })),
    }),
    operator('post /operator/models/rollback', {
      body: rollbackBody,
      reply: ({ user, input }) => replyToChange(rollbackModels(db, { ...input, actor: user.email })),
    }),
  ];
}

async function compareWithVersion(db: Pick<Database, 'run'>, version: string) {
  if (!/^[1-9]\d{0,8}$/.test(version)) {
    throw notFound('catalog version', version);
  }
  const [active, old] = await Promise.all([findVersion(db, null), findVersion(db, Number(version))]);
  return { changes: noteChanges(active.document, old.document) };
}

/** Finds every fault of a document, or its warnings and what it would change. */
async function checkModels(
  { db, listProviders }: { readonly db: Pick<Database, 'run'>; readonly listProviders: ListProviders },
  source: string,
): Promise<Check> {
  const active = await findVersion(db, null);
  const kept = await parseInThread('keepProviders', source, active.source);
  const checked = 'faults' in kept ? kept : await readContent(db, kept.source);
  if ('former' in checked || 'faults' in checked) {
    const faults = 'former' in checked ? describeFormer(checked.former) : checked.faults;
    return { faults, warnings: [], changes: [] };
  }
  const providers = mergeProviders(listProviders(checked.catalog), await listWorkerProviders(db));
  const warnings = findWarnings(checked.catalog, providers);
  return { faults: [], warnings, changes: noteChanges(active.document, checked.document) };
}

/** Replies with the new version; with 409 when another one came in between. */
async function replyToChange(
  change: Promise<number>,
): Promise<Reply<Envelope<{ readonly version: number }>>> {
  try {
    return dataReply({ version: await change });
  } catch (error) {
    if (error instanceof VersionConflict) {
      return { status: CONFLICT, json: failure(error.code, error.publicMessage) };
    }
    throw error;
  }
}
