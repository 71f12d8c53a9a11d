import { ok } from '@image-gateway/shared/contract';
import { deleteFiles, type Reads } from '@image-gateway/shared/db';
import { deleteFilesBody, fileList, publicFile } from '@image-gateway/shared/file/schema';
import { parseFileName } from '@image-gateway/shared/ids';
import { count, type JsonSchema, object, pageFields } from '@image-gateway/shared/schema';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import type { DashboardDeps } from '../dashboard-deps.js';
import { type ApiRoute, defineApiRoute, defineRoute, owners } from '../http/define-route.js';
import { examples } from '../http/openapi/examples.js';
import { readQuery } from '../http/query.js';
import { type GetFileDeps, getFile } from './get-file.js';
import { listOwnFiles } from './list-files.js';
import { type UploadFileDeps, uploadFileHandler } from './upload-file.js';
import { deleteUploadedFile, getUploadedFile, type UploadedFileDeps } from './uploaded-file.js';

const BINARY = { type: 'string', format: 'binary' };
const id = {
  description: 'The id of the file, or the last part of its URL.',
  schema: { type: 'string', examples: ['file_7YVqWuDsrdnBgKVBTFQSfq'] },
};
/** Types of images one by one: generators of clients do not know the type `image/*`. */
const eachType = (media: JsonSchema): JsonSchema =>
  Object.fromEntries(['image/png', 'image/jpeg', 'image/webp'].map((type) => [type, media]));
const IMAGE = { description: 'The image.', content: eachType({ schema: BINARY }) };

/** Routes of `/v1` about files for `image_urls`. */
export function fileRoutes(
  deps: UploadedFileDeps &
    UploadFileDeps & {
      readonly fileUrl: string;
      readonly reads: Pick<Reads, 'ofAccount'>;
      readonly queries: Pick<QuerySchemas, 'files'>;
    },
): readonly ApiRoute[] {
  return [
    defineApiRoute({
      door: 'v1',
      method: 'post',
      path: '/v1/files',
      access: 'key',
      roles: ['generate'],
      id: 'uploadFile',
      summary: 'Keep an image for image_urls',
      description:
        'Takes a form with the field `file`, or the image itself as the body, also as `application/octet-stream`. `id` or `url` ' +
        'can stand in `image_urls` of any key of the account. A file is kept for 24 hours after its last use and while a ' +
        'pending task names it. At most 10 MiB, 40 megapixels and 16,384 pixels a side; at most 1,000 files and 5 GiB an ' +
        'account, over it `429`. Needs the scope `generate`.',
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': {
            schema: { type: 'object', required: ['file'], properties: { file: BINARY } },
          },
          ...eachType({ schema: BINARY }),
        },
      },
      response: publicFile,
      answer: { description: 'The file.', examples: { file: examples(deps.fileUrl).file } },
      run: uploadFileHandler(deps),
    }),
    defineApiRoute({
      door: 'v1',
      method: 'get',
      path: '/v1/files',
      access: 'key',
      roles: ['read'],
      id: 'listFiles',
      summary: 'List files, newest first',
      description:
        'The files of the account that `image_urls` can name, by whichever key they came, and what all of them take of what the ' +
        'account may keep. Needs the scope `read`.',
      query: 'files',
      response: fileList,
      answer: { description: 'A page of files.', examples: { files: examples(deps.fileUrl).files } },
      run: async (call) => {
        const query = readQuery(deps.queries.files, call);
        const { accountId } = call.caller;
        const listed = await listOwnFiles(deps.reads.ofAccount(accountId), deps, accountId, query);
        return { status: 200, headers: { 'Cache-Control': 'no-store' }, json: ok(listed) };
      },
    }),
    defineApiRoute({
      door: 'v1',
      method: 'get',
      path: '/v1/files/:id',
      access: 'key',
      roles: ['read', 'generate'],
      id: 'getFile',
      summary: 'Fetch a file',
      description:
        'The bytes as they were uploaded. Needs the scope `read`, or the key that uploaded the file.',
      params: { id },
      responses: { 200: IMAGE },
      run: getUploadedFile(deps),
    }),
    defineApiRoute({
      door: 'v1',
      method: 'delete',
      path: '/v1/files/:id',
      access: 'key',
      roles: ['delete', 'generate'],
      id: 'deleteFile',
      summary: 'Delete a file',
      description:
        'Nothing can name it any more; pending tasks that do keep their copy until they end. Needs the scope `delete`, or the ' +
        'key that uploaded the file.',
      params: { id },
      answer: { status: 204, description: 'The file is deleted.' },
      run: deleteUploadedFile(deps),
    }),
  ];
}

/** Routes with which owners look after the files of their account. */
export const ownFileRoutes = (deps: DashboardDeps) => [
  defineRoute({
    ...owners,
    method: 'get',
    path: '/files',
    summary: 'List the files',
    response: fileList,
    query: object(pageFields),
    run: ({ accountId, input }) => listOwnFiles(deps.reads.ofAccount(accountId), deps, accountId, input),
  }),
  defineRoute({
    ...owners,
    method: 'post',
    path: '/files/delete',
    summary: 'Delete files',
    response: object({ deleted: count }),
    body: deleteFilesBody,
    run: async ({ accountId, input }) => {
      const ids = input.ids.flatMap((name) => parseFileName(name)?.id ?? []);
      return { deleted: await deleteFiles(deps.db, { accountId, ids }) };
    },
  }),
];

/** Route of the images of completed tasks. */
export const imageRoute = (deps: GetFileDeps): ApiRoute =>
  defineApiRoute({
    door: 'service',
    method: 'get',
    path: '/files/images/:task/:name',
    access: 'open',
    id: 'getImage',
    documentedPath: '/files/images/{task_id}/{name}',
    summary: 'Fetch an image of a completed task',
    description: 'The URLs stand in `output.urls`; ranges and `If-None-Match` are understood.',
    params: { name: { schema: { type: 'string', examples: ['0.png'] } } },
    headers: [{ name: 'Range', in: 'header', schema: { type: 'string' } }],
    responses: {
      200: IMAGE,
      206: { ...IMAGE, description: 'A part of the image.' },
      304: { description: 'Not changed; images never change.' },
    },
    errors: [400, 404, 416, 500, 503],
    run: getFile(deps),
  });
