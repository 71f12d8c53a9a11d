import type { Examples } from './examples.js';
import type { JsonSchema } from './json-schema.js';
import { ref } from './parts.js';
import { errors, success } from './responses.js';

const BINARY = { type: 'string', format: 'binary' };
const name = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the file, or the last part of its URL.',
  schema: { type: 'string', examples: ['file_7YVqWuDsrdnBgKVBTFQSfq'] },
};

/** Operations about files for `image_urls`. */
export function filePaths({ file }: Examples): Readonly<Record<string, JsonSchema>> {
  return {
    '/v1/files': {
      post: {
        operationId: 'uploadFile',
        summary: 'Keep an image for image_urls',
        description:
          'Takes a form with the field `file`, or the image itself as the body, also as `application/octet-stream`. `id` or `url` can stand in `image_urls` of any key of the account. A file is kept for 24 hours after its last use and while a pending task names it. At most 10 MiB, 40 megapixels and 16,384 pixels a side; at most 1,000 files and 5 GiB an account, over it `429`. Needs the scope `generate`.',
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: { type: 'object', required: ['file'], properties: { file: BINARY } },
            },
            'image/*': { schema: BINARY },
          },
        },
        responses: {
          200: success('The file.', ref('UploadedFile'), { file }),
          ...errors(400, 401, 403, 404, 429, 500, 503),
        },
      },
    },
    '/v1/files/{id}': {
      get: {
        operationId: 'getFile',
        summary: 'Fetch a file',
        description:
          'The bytes as they were uploaded. Needs the scope `read`, or the key that uploaded the file.',
        parameters: [name],
        responses: {
          200: { description: 'The image.', content: { 'image/*': {} } },
          ...errors(400, 401, 403, 404, 429, 500, 503),
        },
      },
      delete: {
        operationId: 'deleteFile',
        summary: 'Delete a file',
        description:
          'Nothing can name it any more; pending tasks that do keep their copy until they end. Needs the scope `delete`, or the key that uploaded the file.',
        parameters: [name],
        responses: {
          204: { description: 'The file is deleted.' },
          ...errors(400, 401, 403, 404, 429, 500, 503),
        },
      },
    },
  };
}
