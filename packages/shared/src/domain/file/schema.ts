import {
  choice,
  count,
  describe,
  type Infer,
  integer,
  list,
  named,
  object,
  pagination,
  type Shape,
  text,
  time,
  withMessage,
} from '../schema/index.js';

const contentType: Shape<string, string, 'required'> = choice(['image/png', 'image/jpeg', 'image/webp']);

/** File of `/v1/files`. */
export const publicFile = named(
  'UploadedFile',
  object({
    id: text({ pattern: '^file_[0-9A-Za-z]{22,}$', description: 'Can stand in `image_urls`.' }),
    url: text({ format: 'uri', description: 'The same; needs a key to be fetched.' }),
    content_type: contentType,
    bytes: integer({ minimum: 1 }),
    width: integer({ minimum: 1, description: 'Pixels as they are stored.' }),
    height: integer({ minimum: 1 }),
    sha256: text({ pattern: '^[0-9a-f]{64}$' }),
    expires_at: describe(time, 'Until when it is kept, unless a task uses it.'),
  }),
);
export type PublicFile = Infer<typeof publicFile>;

/** Page of the files of an account, with what all of them take and what it may keep. */
export const fileList = named(
  'FileList',
  object({
    files: list(publicFile),
    pagination,
    bytes: describe(count, 'Of all files together.'),
    max_files: describe(count, 'Files that the account may keep.'),
    max_bytes: describe(count, 'Bytes of files that the account may keep together.'),
  }),
);
export type FileList = Infer<typeof fileList>;

/** Files to delete, by their ids. */
export const deleteFilesBody = object({
  ids: withMessage(
    list(text({ pattern: '^file_[0-9A-Za-z]{22,}$', maxLength: 100 }), { minItems: 1, maxItems: 100 }),
    'Choose 1 to 100 files.',
  ),
});
