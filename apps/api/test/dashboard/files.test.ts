import { buildPng } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../support/start-api.js';
import { newOwner, type Owner } from './support/people.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
  await api.store.ensureBucket();
});
afterAll(() => api.stop());

const png = new Uint8Array(buildPng({ width: 8, height: 8, depth: 8, colour: 'rgb' }));
const keep = async (owner: Owner): Promise<string> =>
  String((await owner.post('/files', new Blob([png], { type: 'image/png' }))).data.id);
const list = async (owner: Owner): Promise<{ ids: string[]; bytes: unknown }> => {
  const { files, bytes } = (await owner.get('/files')).data as { files: { id: string }[]; bytes: number };
  return { ids: files.map(({ id }) => id), bytes };
};

describe('the page of files', () => {
  test('the page of files lists those of the account, newest first, and deletes several at once, of this account alone', async () => {
    const [owner, stranger] = [await newOwner(api), await newOwner(api)];
    const foreign = await keep(stranger);
    const [first, second, third] = [await keep(owner), await keep(owner), await keep(owner)];
    expect(await list(owner)).toEqual({ ids: [third, second, first], bytes: 3 * png.length });
    const unknown = `file_${'0'.repeat(22)}`;
    const { data } = await owner.post('/files/delete', { ids: [first, third, third, foreign, unknown] });
    expect(data).toEqual({ deleted: 2 });
    expect(await list(owner)).toEqual({ ids: [second], bytes: png.length });
    expect(await list(stranger)).toEqual({ ids: [foreign], bytes: png.length });
    expect((await owner.get(`/files/${first}`)).status).toBe(404);
  });

  test.each([[[]], [['x']], [Array(101).fill(`file_${'0'.repeat(22)}`)]])(
    'the page of files refuses to delete %j',
    async (ids) => {
      const owner = await newOwner(api);
      const { status, error } = await owner.post('/files/delete', { ids });
      expect([status, error?.message]).toEqual([400, 'Choose 1 to 100 files.']);
    },
  );
});
