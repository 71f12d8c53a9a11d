import { AppError } from '@image-gateway/shared/errors';

/** Another version of the catalog came between the start of a change and the change. */
export class VersionConflict extends AppError {
  constructor(from: number, newest: number) {
    super('BAD_REQUEST', {
      publicMessage: `The change was started from catalog version ${from}, and version ${newest} came in between. Read it with: catalog show. Then repeat the change.`,
    });
    this.name = 'VersionConflict';
  }
}
