import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { routerOver, scriptedProvider } from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();

/** Made by make.py beside them, with the public library for content credentials. */
const folder = path.join(import.meta.dirname, 'fixtures/signed');

test.each(['png', 'jpg', 'webp'])(
  'an image with content credentials (C2PA) is delivered as %s byte for byte, so that its signature stays valid',
  async (extension) => {
    const signed = await readFile(path.join(folder, `signed.${extension}`));
    expect(signed.includes('c2pa')).toBe(true);
    const provider = scriptedProvider(async function* ({ slots: [slot = 0] }) {
      yield { type: 'image', bytes: signed, slot };
    });
    world.start(routerOver(provider));
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1 });
    const stored = await world.store.read(`images/${id}/0.${extension}`);
    expect(stored?.equals(signed)).toBe(true);
  },
);
