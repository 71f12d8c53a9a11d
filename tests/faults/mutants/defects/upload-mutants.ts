import type { Mutant } from '../mutant.js';

const files = 'packages/shared/src/domain/db/task-inputs/files.ts';
const unneeded = 'packages/shared/src/domain/db/task-inputs/unneeded-inputs.ts';
const upload = 'apps/api/src/file/upload-file.ts';
const uploadedFiles = 'apps/api/test/uploaded-files.test.ts';
const dataUrls = 'apps/api/test/data-urls.test.ts';
const unpaid = 'prisma/functions/task_inputs.sql';
const unpaidStorage = 'apps/api/test/unpaid-storage.test.ts';
const workerUploads = 'apps/generation-worker/test/uploads.test.ts';

/** Defects of files and data URLs: whose they are, and what stays of them. */
export const uploadMutants: readonly Mutant[] = [
  {
    name: 'file-of-others-used',
    defect: 'a task may name the file of another account',
    edits: [
      {
        file: files,
        find: ' WHERE id = ANY($2::text[]) AND account_id = $1 AND expires_at > now()\nRETURNING ${COLUMNS}`,',
        replace:
          ' WHERE id = ANY($2::text[]) AND $1::text IS NOT NULL AND expires_at > now()\nRETURNING ${COLUMNS}`,',
      },
      {
        file: files,
        find: 'WHERE id = ANY($2::text[]) AND account_id = $1 AND expires_at > now()`,',
        replace: 'WHERE id = ANY($2::text[]) AND $1::text IS NOT NULL AND expires_at > now()`,',
      },
    ],
    hunters: [uploadedFiles],
  },
  {
    name: 'file-read-by-any-key',
    defect: 'a key without the scope read gets files of other keys',
    edits: [
      {
        file: 'apps/api/src/file/uploaded-file.ts',
        find: "if (file.apiKeyId !== apiKeyId && !scopes.includes('read')) {",
        replace: "if (file.apiKeyId === '' && !scopes.includes('read')) {",
      },
    ],
    hunters: [uploadedFiles],
  },
  {
    name: 'expired-file-used',
    defect: 'a file that has expired can still be named',
    edits: [
      {
        file: files,
        find: 'WHERE id = ANY($2::text[]) AND account_id = $1 AND expires_at > now()`,',
        replace: 'WHERE id = ANY($2::text[]) AND account_id = $1 AND expires_at IS NOT NULL`,',
      },
      {
        file: files,
        find: ' WHERE id = ANY($2::text[]) AND account_id = $1 AND expires_at > now()\nRETURNING ${COLUMNS}`,',
        replace:
          ' WHERE id = ANY($2::text[]) AND account_id = $1 AND expires_at IS NOT NULL\nRETURNING ${COLUMNS}`,',
      },
    ],
    hunters: [uploadedFiles],
  },
  {
    name: 'refused-file-kept',
    defect: 'a file over the limits of its account stays',
    edits: [
      {
        file: upload,
        find: '    await releaseInputs(deps, [name]);\n    throw error;',
        replace: '    throw error;',
      },
    ],
    hunters: [uploadedFiles],
  },
  {
    name: 'file-survives-erasure',
    defect: 'a file stays usable when the last task that used it is erased',
    edits: [
      {
        file: 'packages/shared/src/domain/db/tasks/erase-task.ts',
        find: "CASE WHEN i.expires_at IS NOT NULL THEN '-infinity'::timestamptz END",
        replace: 'i.expires_at',
      },
    ],
    hunters: [uploadedFiles],
  },
  {
    name: 'deleted-file-taken-from-task',
    defect: 'the object of a deleted file is removed while a pending task needs it',
    edits: [
      {
        file: unneeded,
        find: "WHEN i.expires_at IS NOT NULL AND (${isNamed('queued', BY_ACCOUNT)} OR ${isNamed('running', BY_TIME)})",
        replace: 'WHEN i.expires_at IS NOT NULL AND t.id IS NULL AND i.id IS NULL',
      },
    ],
    hunters: [workerUploads],
  },
  {
    name: 'expired-file-stays',
    defect: 'the object of an expired file is never removed',
    edits: [
      {
        file: unneeded,
        find: "WHEN t.id IS NULL OR i.expires_at IS NOT NULL OR t.erased_at IS NOT NULL THEN '-infinity'",
        replace:
          "WHEN i.expires_at IS NOT NULL THEN now() + interval '1 hour' WHEN t.id IS NULL OR t.erased_at IS NOT NULL THEN '-infinity'",
      },
    ],
    hunters: [workerUploads],
  },
  {
    name: 'data-url-unchecked',
    defect: 'a data URL that is no image is accepted',
    edits: [
      {
        file: 'apps/api/src/task/generate-handler.ts',
        find: '    await checkInputs(deps, call, images);\n',
        replace: '    await checkInputs(deps, call, images.slice(0, 0));\n',
      },
    ],
    hunters: [dataUrls],
  },
  {
    name: 'unpaid-share-in-one-snapshot',
    defect: 'uploads at once exceed what accounts without a payment may store',
    edits: [
      { file: unpaid, find: "  PERFORM pg_advisory_xact_lock(hashtext('unpaid_uploads'));\n", replace: '' },
    ],
    hunters: [unpaidStorage],
  },
  {
    name: 'gift-counts-as-payment',
    defect: 'the credit of a sign-up lifts the share of storage that is given without a payment',
    edits: [
      {
        file: unpaid,
        find: "\n                    AND l.external_ref IS DISTINCT FROM 'signup:' || account)",
        replace: ')',
      },
    ],
    hunters: [unpaidStorage],
  },
];
