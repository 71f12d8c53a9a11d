import {
  choice,
  describe,
  type Infer,
  integer,
  named,
  object,
  type Shape,
  text,
  time,
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
