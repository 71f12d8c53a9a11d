import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createSpool } from './create-spool.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'spool-test-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('create spool', () => {
  test('a spool returns what was appended, from files that have no name', async () => {
    const spool = createSpool({ dir, maxBytes: 10_000, id: 'a' });
    const [one, other] = await Promise.all([spool.open(), spool.open()]);
    const pieces = [randomBytes(3_000), randomBytes(1), randomBytes(2_000)];
    expect(await one.append(pieces.slice(0, 2))).toBe(true);
    expect(await one.append(pieces.slice(2))).toBe(true);
    expect(await other.append([Buffer.from('other')])).toBe(true);
    expect(readdirSync(dir)).toEqual([]);
    const [whole, part] = [Buffer.alloc(5_001), Buffer.alloc(3)];
    await one.read(whole, 0);
    await other.read(part, 2);
    expect([one.size(), whole, part.toString()]).toEqual([5_001, Buffer.concat(pieces), 'her']);
    await expect(other.read(part, 3)).rejects.toThrow('ends after 5 of 5 bytes');
    await Promise.all([one.close(), other.close()]);
  });

  test('a spool takes no more than its size, and takes more as soon as a file is closed', async () => {
    const sizes: number[] = [];
    const spool = createSpool({ dir, maxBytes: 100, id: 'a', onSize: (bytes) => sizes.push(bytes) });
    const [one, other] = await Promise.all([spool.open(), spool.open()]);
    expect(await one.append([Buffer.alloc(60)])).toBe(true);
    expect(await other.append([Buffer.alloc(41)])).toBe(false);
    await one.close();
    await one.close();
    expect(await other.append([Buffer.alloc(41)])).toBe(true);
    expect(sizes).toEqual([60, 0, 41]);
    await other.close();
  });

  test('a spool keeps nothing of bytes that could not be written, and gives their room back', async () => {
    const sizes: number[] = [];
    const spool = createSpool({ dir, maxBytes: 100, id: 'a', onSize: (bytes) => sizes.push(bytes) });
    const file = await spool.open();
    await file.append([Buffer.from('kept')]);
    await file.close();
    await expect(file.append([Buffer.from('lost')])).rejects.toThrow();
    expect(sizes).toEqual([4, 0, 4, 0]);
    expect(file.size()).toBe(4);
  });

  test('a spool removes what a crash has left, and nothing that is in use or somebody else’s', async () => {
    const first = createSpool({ dir, maxBytes: 100, id: 'a' });
    const file = await first.open();
    await file.append([Buffer.from('live')]);
    writeFileSync(path.join(dir, 'b-1.spool'), '');
    writeFileSync(path.join(dir, 'letter.txt'), '');
    createSpool({ dir, maxBytes: 100, id: 'c' });
    expect(readdirSync(dir)).toEqual(['letter.txt']);
    const bytes = Buffer.alloc(4);
    await file.read(bytes, 0);
    expect(bytes.toString()).toBe('live');
    await file.close();
  });
});
