import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';

/** Folder with Bun, Deno and older Nodes of npm, which `.ci/client-runtimes` makes. */
const runtimes = process.env.CLIENT_RUNTIMES ?? '';
const root = path.resolve(import.meta.dirname, '../..');
const execute = promisify(execFile);
const COMMANDS = [
  ['Bun', ['.bin/bun', 'run']],
  ['Deno', ['.bin/deno', 'run', '--allow-all', '--quiet']],
  ['Node 20', ['node20/bin/node']],
  ['Node 22', ['node22/bin/node']],
] as const;

let scene: Scene;
let folder: string;
let packed: string;
beforeAll(async () => {
  if (runtimes !== '') {
    scene = await openSharedScene();
    folder = await mkdtemp(path.join(tmpdir(), 'image-gateway-runtimes-'));
    const cwd = path.join(root, 'clients/typescript');
    const { stdout } = await execute('npm', ['pack', '--silent', '--pack-destination', folder], { cwd });
    packed = path.join(folder, stdout.trim().split('\n').at(-1) ?? '');
  }
}, 700_000);
afterAll(async () => {
  if (runtimes !== '') {
    await rm(folder, { recursive: true, force: true });
    await scene.audit();
  }
});

/** The examples of the README, in their order, each as a program. */
async function readExamples(): Promise<readonly string[]> {
  const text = await readFile(path.join(root, 'clients/typescript/README.md'), 'utf8');
  return [...text.matchAll(/^```js\n(.*?)^```/gms)].map(([, code = '']) => code);
}

async function installClient(name: string): Promise<string> {
  const project = path.join(folder, name);
  const args = ['install', '--prefix', project, '--no-audit', '--no-fund', '--offline', '--loglevel=error'];
  await execute('npm', [...args, packed]);
  return project;
}

for (const [name, [program, ...args]] of COMMANDS) {
  (runtimes === '' ? test.skip : test)(
    `the examples of the TypeScript client run under ${name}`,
    async () => {
      const customer: Customer = await scene.customer();
      const project = await installClient(name.replace(' ', '-'));
      const run = async (file: string): Promise<string> => {
        const env = {
          ...process.env,
          NODE_OPTIONS: '',
          IMAGE_GATEWAY_URL: scene.product.url,
          IMAGE_GATEWAY_KEY: customer.key,
        };
        const command = path.join(runtimes, 'node_modules', program);
        return (await execute(command, [...args, file], { cwd: project, env, timeout: 60_000 })).stdout;
      };
      const [first = '', later = '', edit = '', ...others] = await readExamples();
      const write = (file: string, code: string) => writeFile(path.join(project, file), code);
      await write('first.mjs', first);
      expect(await run('first.mjs')).toMatch(/^[$]0[.]0100$/m);
      await write('later.mjs', later);
      expect(await run('later.mjs')).toMatch(/\/images\/gen_\w+\/1[.]\w+/);
      const fox = (await readdir(project)).find((file) => file.startsWith('fox.')) ?? '';
      await write('edit.mjs', edit.replace('fox.png', fox));
      await run('edit.mjs');
      const night = (await readdir(project)).find((file) => file.startsWith('night.')) ?? '';
      for (const image of [fox, night]) {
        const { format } = await sharp(path.join(project, image)).metadata();
        expect(path.extname(image)).toBe(`.${format.replace('jpeg', 'jpg')}`);
      }
      for (const [index, code] of others.entries()) {
        await write(`other${index}.mjs`, code);
        expect(await run(`other${index}.mjs`)).toContain('nanobanana');
      }
      expect((await customer.client.summary())[0]).toMatchObject({ total_units: 4 + others.length });
    },
  );
}
