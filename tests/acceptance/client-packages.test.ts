import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';

/** Folder with tools of npm and PyPI, which `.ci/client-packages` makes. */
const tools = process.env.CLIENT_TOOLS ?? '';
const check = (name: string, run: () => Promise<void>, timeoutMs?: number): void => {
  if (tools !== '') {
    test(name, run, timeoutMs);
  }
};
const root = path.resolve(import.meta.dirname, '../..');
const execute = promisify(execFile);

let scene: Scene;
let customer: Customer;
let folder: string;

beforeAll(async () => {
  if (tools !== '') {
    scene = await openSharedScene();
    customer = await scene.customer();
    folder = await mkdtemp(path.join(tmpdir(), 'image-gateway-packages-'));
  }
}, 700_000);
afterAll(async () => {
  if (tools !== '') {
    await rm(folder, { recursive: true, force: true });
    await scene.audit();
  }
});

const tool = (name: string): string => path.join(tools, 'node_modules/.bin', name);
const python = (name: string): string => path.join(tools, 'python/bin', name);

/** Runs a program with the address and the key of the gateway; rejects with what it printed where it fails. */
async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    IMAGE_GATEWAY_URL: scene.product.url,
    IMAGE_GATEWAY_KEY: customer.key,
  };
  try {
    return (await execute(program, args, { cwd, env, timeout: 120_000, maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** Makes a folder with files. */
async function makeProject(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const project = await mkdtemp(path.join(folder, `${name}-`));
  for (const [file, text] of Object.entries(files)) {
    await writeFile(path.join(project, file), text);
  }
  return project;
}
const pack = async (): Promise<string> => {
  const said = await run(
    path.join(root, 'clients/typescript'),
    'npm',
    'pack',
    '--silent',
    '--pack-destination',
    folder,
  );
  return path.join(folder, said.trim().split('\n').at(-1) ?? '');
};
/** Code blocks of a README, each as a file. */
async function readBlocks(file: string, language: string, ending: string): Promise<Record<string, string>> {
  const text = await readFile(path.join(root, file), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))];
  return Object.fromEntries(blocks.map(([, code = ''], index) => [`block${index}.${ending}`, code]));
}

const OPTIONS = [
  '--noEmit',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--target',
  'es2022',
  '--skipLibCheck',
  'false',
];
/** The first request of the README, and the use of its answer by its status. */
const READ_TASK = `
if (task?.status === 'completed') console.log(task.output.url);
else if (task?.status === 'failed') console.log(task.error);
`;
const DRAWN = /^https?:\/\/\S+\/images\/gen_\w+\/0\.\w+\s*$/m;

describe('the package of the TypeScript client', () => {
  check('is whole and small, has no dependencies, and its registry has nothing against it', async () => {
    const file = await pack();
    expect((await stat(file)).size).toBeLessThan(60_000);
    const project = await makeProject('empty', { 'package.json': '{"type": "module"}' });
    await run(project, 'npm', 'install', '--no-audit', '--no-fund', '--offline', file);
    const installed = await readdir(path.join(project, 'node_modules'));
    expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['@image-gateway']);
    await run(project, tool('publint'), 'run', '--strict', file);
    await run(project, tool('attw'), file);
  });

  check(
    'draws from an empty project: as an ES module, by require, in strict TypeScript and as a command',
    async () => {
      const blocks = await readBlocks('clients/typescript/README.md', 'js', 'mts');
      const webhook = await readBlocks('clients/typescript/README.md', 'ts', 'mts');
      const project = await makeProject('typed', {
        'package.json': '{}',
        'first.mjs': `import { ImageGateway } from '@image-gateway/client';
const task = await new ImageGateway().subscribe({ model: 'nanobanana', prompt: 'a fox' });${READ_TASK}`,
        'first.cjs': `const { ImageGateway } = require('@image-gateway/client');
new ImageGateway().subscribe({ model: 'nanobanana', prompt: 'a fox' }).then((task) => {${READ_TASK}});`,
        'wrong.mts': `import { ImageGateway } from '@image-gateway/client';
const task = await new ImageGateway().tasks.wait('gen_x');
console.log(task.output.url);`,
        ...blocks,
      });
      await writeFile(path.join(project, 'webhook.mts'), webhook['block0.mts'] ?? '');
      await run(project, 'npm', 'install', '--no-audit', '--no-fund', '--offline', await pack());
      for (const file of ['first.mjs', 'first.cjs']) {
        expect(await run(project, process.execPath, file)).toMatch(DRAWN);
      }
      const types = [
        '--types',
        'node',
        '--typeRoots',
        path.join(tools, 'node_modules/@types'),
        '--module',
        'nodenext',
      ];
      const files = [...Object.keys(blocks), 'webhook.mts'];
      await run(project, tool('tsc'), ...OPTIONS, ...types, ...files);
      // A page has no types of Node: none are installed here.
      const page = ['--lib', 'es2022,dom', '--module', 'esnext', '--moduleResolution', 'bundler'];
      await writeFile(
        path.join(project, 'page.ts'),
        `import { ImageGateway } from '@image-gateway/client';
const gateway = new ImageGateway({ baseUrl: '/images' });
export const draw = (file: File) => gateway.files.upload(file);`,
      );
      await run(project, tool('tsc'), ...OPTIONS, ...page, 'page.ts');
      await expect(run(project, tool('tsc'), ...OPTIONS, ...types, 'wrong.mts')).rejects.toThrow(/'output'/);
      // The example of the README names its file by what came.
      const example = (blocks['block0.mts'] ?? '').replace("snow'", "snow', output_format: 'jpeg'");
      await writeFile(path.join(project, 'example.mjs'), example);
      expect(await run(project, process.execPath, 'example.mjs')).toMatch(/^[$]0[.]0100$/m);
      expect((await sharp(path.join(project, 'fox.jpg')).metadata()).format).toBe('jpeg');
      const command = path.join(project, 'node_modules/.bin/image-gateway');
      const generate = async (
        ...args: string[]
      ): Promise<{ status: string; type: string; files: string[] }> =>
        JSON.parse(await run(project, command, 'generate', ...args, '--json'));
      const named = await generate('a fox', '--out', 'named.png', '--n', '2');
      expect(named.files).toEqual(['named.png', 'named-2.png']);
      // Without an ending a file gets that of its format.
      const unnamed = await generate('a fox', '--out', 'unnamed');
      const night = await generate('night', '--edit', 'named.png', '--out', 'night.png');
      expect(night).toMatchObject({ status: 'completed', type: 'image_edit', files: ['night.png'] });
      for (const image of [...named.files, ...unnamed.files, ...night.files]) {
        const { format } = await sharp(path.join(project, image)).metadata();
        expect([image, path.extname(image)]).toEqual([image, `.${format.replace('jpeg', 'jpg')}`]);
      }
    },
    180_000,
  );
});

describe('the package of the Python client', () => {
  check(
    'is built as wheel and archive, draws from an empty environment, and its examples are typed',
    async () => {
      const source = path.join(folder, 'source');
      await cp(path.join(root, 'clients/python'), source, { recursive: true });
      await run(
        source,
        python('python'),
        '-m',
        'build',
        '--no-isolation',
        '--outdir',
        path.join(folder, 'dist'),
      );
      const built = await readdir(path.join(folder, 'dist'));
      expect(built.sort()).toEqual([
        expect.stringMatching(/^image_gateway_client-[\d.]+-py3-none-any\.whl$/),
        expect.stringMatching(/^image_gateway_client-[\d.]+\.tar\.gz$/),
      ]);
      const wheel = path.join(folder, 'dist', built.find((name) => name.endsWith('.whl')) ?? '');
      expect((await stat(wheel)).size).toBeLessThan(60_000);
      const blocks = await readBlocks('clients/python/README.md', 'python', 'py');
      const project = await makeProject('python', {
        ...blocks,
        'first.py': `from image_gateway import ImageGateway

task = ImageGateway().subscribe(model="nanobanana", prompt="a fox")
print(task.output.url)
`,
        'wrong.py': `from image_gateway import ImageGateway

print(ImageGateway().tasks.wait("gen_x").output.url)
`,
      });
      await cp(path.join(root, 'examples/batch/batch.py'), path.join(project, 'batch.py'));
      const own = path.join(project, 'venv/bin/python');
      await run(project, 'python3', '-m', 'venv', 'venv');
      await run(project, own, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', wheel);
      expect(await run(project, own, 'first.py')).toMatch(DRAWN);
      const example = (blocks['block0.py'] ?? '').replace('snow"', 'snow", output_format="jpeg"');
      await writeFile(path.join(project, 'example.py'), example);
      expect(await run(project, own, 'example.py')).toMatch(/^[$]0[.]0100$/m);
      expect((await sharp(path.join(project, 'fox.jpg')).metadata()).format).toBe('jpeg');
      const files = [...Object.keys(blocks), 'batch.py', 'first.py'];
      const mypy = (...names: string[]) =>
        run(
          project,
          python('mypy'),
          '--strict',
          '--python-executable',
          own,
          '--scripts-are-modules',
          ...names,
        );
      await mypy(...files);
      await run(project, tool('pyright'), '--pythonpath', own, ...files);
      await expect(mypy('wrong.py')).rejects.toThrow(/"output"/);
      await expect(run(project, tool('pyright'), '--pythonpath', own, 'wrong.py')).rejects.toThrow(/output/);
      const sources = path.join(source, 'src');
      await run(source, python('mypy'), '--strict', '--python-executable', own, sources);
      await run(source, tool('pyright'), '--pythonpath', own, sources);
    },
    240_000,
  );
});

describe('clients that generators make of the OpenAPI document', () => {
  const document = async (project: string): Promise<void> => {
    await writeFile(path.join(project, 'openapi.json'), JSON.stringify(scene.openapi.document));
  };
  const compile = (project: string, modules: readonly string[]) =>
    run(
      project,
      tool('tsc'),
      ...['--strict', '--target', 'es2022', '--outDir', 'out', ...modules],
      ...['--types', 'node', '--typeRoots', path.join(tools, 'node_modules/@types'), 'first.ts'],
    );

  check('openapi-typescript: compiles and draws', async () => {
    const project = await makeProject('openapi-typescript', {
      'package.json': '{"type": "module"}',
      'first.ts': `import createClient from 'openapi-fetch';
import type { paths } from './schema.js';
const { IMAGE_GATEWAY_URL: baseUrl = '', IMAGE_GATEWAY_KEY: key } = process.env;
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });
const { data } = await client.POST('/v1/generate', { body: { model: 'nanobanana', prompt: 'a red fox in the snow' } });
const id = data?.data.id ?? '';
const answer = await client.GET('/v1/tasks/{id}', { params: { path: { id }, query: { wait: 30 } } });
const task = answer.data?.data;${READ_TASK}`,
    });
    await document(project);
    await symlink(path.join(tools, 'node_modules'), path.join(project, 'node_modules'));
    await run(project, tool('openapi-typescript'), 'openapi.json', '-o', 'schema.ts');
    await compile(project, ['--module', 'esnext', '--moduleResolution', 'bundler']);
    expect(await run(project, process.execPath, 'out/first.js')).toMatch(DRAWN);
  });

  check('hey-api: compiles and draws', async () => {
    const project = await makeProject('hey-api', {
      'package.json': '{"type": "commonjs"}',
      'first.ts': `import { generate, getTask } from './client';
import { client } from './client/client.gen';
client.setConfig({ baseUrl: process.env.IMAGE_GATEWAY_URL ?? '', auth: () => process.env.IMAGE_GATEWAY_KEY });
async function main() {
  const { data } = await generate({ body: { model: 'nanobanana', prompt: 'a red fox in the snow' } });
  const answer = await getTask({ path: { id: data?.data.id ?? '' }, query: { wait: 30 } });
  const task = answer.data?.data;${READ_TASK}
}
main();`,
    });
    await document(project);
    await symlink(path.join(tools, 'node_modules'), path.join(project, 'node_modules'));
    await run(
      project,
      tool('openapi-ts'),
      '-i',
      'openapi.json',
      '-o',
      'client',
      '-c',
      '@hey-api/client-fetch',
    );
    // Bundlers read its imports without endings; Node does where they are compiled to require.
    await compile(project, ['--module', 'commonjs', '--moduleResolution', 'node10']);
    expect(await run(project, process.execPath, 'out/first.js')).toMatch(DRAWN);
  });

  check('openapi-python-client: every module is typed and can be imported, and it draws', async () => {
    const project = await makeProject('openapi-python-client', {
      'first.py': `import os
from api_client import AuthenticatedClient
from api_client.api.tasks import generate, get_task
from api_client.models import GenerateRequest, GenerateResponse202, GetTaskResponse200, TaskCompleted

client = AuthenticatedClient(os.environ["IMAGE_GATEWAY_URL"], os.environ["IMAGE_GATEWAY_KEY"])
body = GenerateRequest(model="nanobanana", prompt="a red fox in the snow")
accepted = generate.sync(client=client, body=body)
assert isinstance(accepted, GenerateResponse202)
answer = get_task.sync(accepted.data.id, client=client, wait=30)
assert isinstance(answer, GetTaskResponse200)
assert isinstance(answer.data, TaskCompleted)
print(answer.data.output.url)
`,
    });
    await document(project);
    await run(
      project,
      python('openapi-python-client'),
      'generate',
      '--path',
      'openapi.json',
      '--output-path',
      'api_client',
      '--meta',
      'none',
    );
    await run(project, python('mypy'), '--strict', 'api_client', 'first.py');
    const modules = (await readdir(path.join(project, 'api_client'), { recursive: true }))
      .filter((file) => file.endsWith('.py'))
      .map((file) =>
        `import api_client.${file.replace(/(\/?__init__)?\.py$/, '').replaceAll('/', '.')}`.replace(
          /\.$/,
          '',
        ),
      );
    await writeFile(path.join(project, 'all.py'), `${modules.join('\n')}\n`);
    await run(project, python('python'), 'all.py');
    expect(await run(project, python('python'), 'first.py')).toMatch(DRAWN);
  });
});

if (tools === '') {
  test('the packages of the clients are checked before a change lands', async () => {
    expect(await readFile(path.join(root, '.ci/run'), 'utf8')).toContain('run_tests .ci/client-packages');
  });
}
