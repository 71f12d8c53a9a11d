import type { Database } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { noteChanges } from '../../../operations/catalog/compare-documents.js';
import { findVersion } from '../../../operations/catalog/find-version.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

/** `GET /dashboard/api/operator/models/versions/{version}`: the changes that a rollback to this version makes. */
export function getVersion({
  db,
}: {
  readonly db: Pick<Database, 'run'>;
}): UserHandler<'get /operator/models/versions/:version'> {
  return async ({ params: { version = '' } }) => {
    if (!/^[1-9]\d{0,8}$/.test(version)) {
      throw notFound('catalog version', version);
    }
    const [active, old] = await Promise.all([findVersion(db, null), findVersion(db, Number(version))]);
    return dataReply({ changes: noteChanges(active.document, old.document) });
  };
}
