import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createFileStore, type FileStore, type PutRequest } from './create-file-store.js';

let folder: string;
let store: FileStore;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'file-store-'));
  store = await createFileStore({ folder, durable: true });
  await store.makeBucket('images');
});
afterEach(() => rm(folder, { recursive: true }));

async function* chunks(...parts: Buffer[]) {
  yield* parts;
}
const put = (key: string, body: Buffer, over: Partial<PutRequest> = {}) =>
  store.put({
    bucket: 'images',
    key,
    content: chunks(body),
    headers: { 'content-type': 'image/png' },
    declared: {},
    onlyNew: false,
    ...over,
  });
const read = async (key: string): Promise<Buffer | null> => {
  const found = await store.open('images', key);
  if (found === null) {
    return null;
  }
  const whole = await found.file.readFile();
  await found.file.close();
  return whole.subarray(0, found.head.bytes);
};
const keys = async (prefix = '') => {
  const all: string[] = [];
  for await (const key of store.keys('images', prefix)) {
    all.push(key);
  }
  return all;
};
const filesBelow = async () => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
};

describe('files of objects', () => {
  test.each([
    'a',
    'a/b',
    'a//b',
    'a/',
    '/a',
    '..',
    '../../etc/x',
    'a/../b',
    '.',
    'ä €/%41',
    'a,object',
    '%',
    'a+b c',
  ])('the key %j is kept inside the bucket, and listed as it is', async (key) => {
    await put(key, Buffer.from(key));
    expect((await read(key))?.toString()).toBe(key);
    expect(await keys()).toEqual([key]);
    const [file] = await filesBelow();
    expect(path.relative(path.join(folder, 'images'), file ?? '')).not.toMatch(/^\.\./);
  });

  test('no key hides another one', async () => {
    const all = ['a', 'a,object', 'a,object/b', 'a-b', 'a/', 'a/b', 'a0', 'b'];
    for (const key of all) {
      await put(key, Buffer.from(key));
    }
    expect(await keys()).toEqual(all);
    for (const key of all) {
      expect((await read(key))?.toString()).toBe(key);
    }
    expect(await keys('a/')).toEqual(['a/', 'a/b']);
    expect(await keys('a,')).toEqual(['a,object', 'a,object/b']);
  });

  test('a part of a key that no file can be named after is refused', async () => {
    await expect(put(`a/${'x'.repeat(300)}`, Buffer.from('x'))).rejects.toMatchObject({
      code: 'KeyTooLongError',
    });
  });

  test('metadata of any length comes back', async () => {
    const headers = { 'content-type': 'image/png', 'x-amz-meta-long': 'x'.repeat(7_000) };
    await put('a', Buffer.alloc(0), { headers });
    const found = await store.open('images', 'a');
    await found?.file.close();
    expect(found?.head).toEqual({ bytes: 0, md5: createHash('md5').digest('hex'), headers });
  });
});

describe('what was not written to its end', () => {
  test.each([0, 5, 99_990, 100_000, 100_050])(
    'a file cut to %i bytes is no object, and the key is free',
    async (length) => {
      await put('a', randomBytes(100_000));
      const [file = ''] = await filesBelow();
      await truncate(file, length);
      expect(await read('a')).toBeNull();
      await put('a', Buffer.from('new'), { onlyNew: true });
      expect((await read('a'))?.toString()).toBe('new');
    },
  );

  test('bytes that look like the end of an object make none of the rest', async () => {
    await put('a', Buffer.from('inner'));
    const [file = ''] = await filesBelow();
    await put('b', await readFile(file));
    const other = (await filesBelow()).find((name) => name.endsWith('b,object')) ?? '';
    // The body of b ends as a complete file does.
    await truncate(other, (await readFile(file)).length);
    expect((await read('b'))?.toString()).toBe('inner');
    await writeFile(other, Buffer.concat([Buffer.from('more'), await readFile(file)]));
    expect(await read('b')).toBeNull();
  });

  test.each([
    ['bytes', { bytes: 5 }, 'IncompleteBody'],
    ['md5', { md5: createHash('md5').update('other').digest('base64') }, 'BadDigest'],
    ['sha256', { sha256: createHash('sha256').update('other').digest('hex') }, 'BadDigest'],
  ])('a body that is not what its %s says leaves nothing', async (_, declared, code) => {
    await expect(put('a', Buffer.from('body'), { declared })).rejects.toMatchObject({ code });
    expect(await filesBelow()).toEqual([]);
  });

  test('a body that breaks off leaves nothing, and what was there', async () => {
    await put('a', Buffer.from('kept'));
    const broken = async function* () {
      yield Buffer.from('half');
      throw new Error('gone');
    };
    await expect(put('a', Buffer.alloc(0), { content: broken() })).rejects.toThrow('gone');
    expect((await read('a'))?.toString()).toBe('kept');
    expect(await filesBelow()).toHaveLength(1);
  });

  test('what a killed process was receiving is gone after the next start', async () => {
    await mkdir(path.join(folder, '.incoming'), { recursive: true });
    await writeFile(path.join(folder, '.incoming', 'x'), 'half');
    await put('a', Buffer.from('a'));
    store = await createFileStore({ folder, durable: true });
    expect(await filesBelow()).toHaveLength(1);
    expect((await read('a'))?.toString()).toBe('a');
  });
});

describe('many at once', () => {
  test('of a hundred first writers one wins', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, (_, i) => put('a', Buffer.from(`writer ${i}`), { onlyNew: true })),
    );
    const winners = results.flatMap(({ status }, i) => (status === 'fulfilled' ? [`writer ${i}`] : []));
    expect(winners).toEqual([(await read('a'))?.toString()]);
    expect(await filesBelow()).toHaveLength(1);
  });

  test('puts and removals side by side in one folder lose no put', async () => {
    for (let round = 0; round < 10; round += 1) {
      const keys = Array.from({ length: 8 }, (_, i) => `deep/folder/${i}`);
      await Promise.all(keys.map((key) => put(key, Buffer.from(key))));
      // Each removal tidies the folder away that the next put is about to use.
      await Promise.all(
        keys.map((key) => store.remove('images', key).then(() => put(`${key}/new`, Buffer.from(key)))),
      );
      for (const key of keys) {
        expect((await read(`${key}/new`))?.toString()).toBe(key);
      }
      await Promise.all(keys.map((key) => store.remove('images', `${key}/new`)));
    }
    expect(await readdir(path.join(folder, 'images'))).toEqual([]);
  });

  test('a reader keeps the object it began with', async () => {
    await put('a', Buffer.from('first'));
    const found = await store.open('images', 'a');
    await put('a', Buffer.from('second'));
    expect((await found?.file.readFile())?.subarray(0, 5).toString()).toBe('first');
    await found?.file.close();
  });
});
