import type { Database } from '@image-gateway/shared/db';
import { noteChanges } from '../../../operations/catalog/compare-documents.js';
import { parseInThread } from '../../../operations/catalog/documents/parse-in-thread.js';
import { findVersion } from '../../../operations/catalog/find-version.js';
import { findWarnings } from '../../../operations/catalog/find-warnings.js';
import type { ListProviders } from '../../../operations/catalog/page/list-providers.js';
import { describeFormer, readContent } from '../../../operations/catalog/waiting/read-content.js';
import { listWorkerProviders, mergeProviders } from '../../../operations/provider/list-worker-providers.js';
import { dataReply } from '../../data-reply.js';
import { readBody } from '../../read-body.js';
import type { UserHandler } from '../../route.js';
import { checkBody } from './change-bodies.js';

/** `POST /dashboard/api/operator/models/check`: every fault of a document, or its warnings and what it would change. */
export function checkModels({
  db,
  listProviders,
}: {
  readonly db: Pick<Database, 'run'>;
  readonly listProviders: ListProviders;
}): UserHandler<'post /operator/models/check'> {
  return async ({ body }) => {
    const { source } = readBody(checkBody, body);
    const active = await findVersion(db, null);
    const kept = await parseInThread('keepProviders', source, active.source);
    const checked = 'faults' in kept ? kept : await readContent(db, kept.source);
    if ('former' in checked || 'faults' in checked) {
      const faults = 'former' in checked ? describeFormer(checked.former) : checked.faults;
      return dataReply({ faults, warnings: [], changes: [] });
    }
    const providers = mergeProviders(listProviders(checked.catalog), await listWorkerProviders(db));
    const warnings = findWarnings(checked.catalog, providers);
    return dataReply({ faults: [], warnings, changes: noteChanges(active.document, checked.document) });
  };
}
