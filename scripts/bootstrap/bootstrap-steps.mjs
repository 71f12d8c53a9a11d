import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { installEnvironment } from './install-environment.mjs';

const PNPM = 'pnpm@12.21.0';
const packages = (root) =>
  ['packages', 'apps', 'clients'].flatMap((group) => {
    const folder = path.join(root, group);
    const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    return names
      .map((name) => path.join(folder, name))
      .filter((p) => fs.existsSync(path.join(p, 'package.json')));
  });

/** Files under a folder that the compiler reads, tests left out. */
function sources(folder) {
  if (!fs.existsSync(folder)) {
    return [];
  }
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

function computeHash(root, files, more = '') {
  const hash = crypto.createHash('sha256').update(more);
  for (const file of files.filter(fs.existsSync).sort()) {
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(fs.readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Returns the npm that runs this script, so that its version stays the same, else the one on PATH. */
function npmCommand(args) {
  const cli = process.env.npm_execpath ?? '';
  return path.basename(cli) === 'npm-cli.js' ? [process.execPath, [cli, ...args]] : ['npm', args];
}

const tool = (root, name) => path.join(root, 'node_modules/.bin', name);
const QUIET_PRISMA = { PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1' };

/**
 * Returns the steps of the bootstrap in the order in which they must run. `install-product` leaves out the tools of lint and tests.
 * Everything is compiled by `build`, for tests by `build-for-tests`, only what starts services by `build-stack`.
 * @param {string} root
 */
export function bootstrapSteps(root) {
  const at = (...parts) => path.join(root, ...parts);
  const configs = (folders) => [
    at('tsconfig.base.json'),
    at('tsconfig.json'),
    ...folders.map((p) => path.join(p, 'tsconfig.json')),
  ];
  const folders = packages(root);
  const dashboard = at('apps/dashboard');
  const compiled = folders.filter((p) => p !== dashboard && fs.existsSync(path.join(p, 'tsconfig.json')));
  const stack = at('packages/local-stack');
  const plain = at('scripts');
  const plainSources = ['options', 'process'].flatMap((folder) => sources(path.join(plain, folder)));
  const compiler = at('scripts/compile.mjs');
  const installed = at('node_modules/.modules.yaml');
  /** Program of `npx gateway`: npx looks for the name here before it asks a registry. */
  const shortName = at('node_modules/.bin/gateway');
  const linkShortName = () => {
    fs.rmSync(shortName, { force: true });
    fs.symlinkSync(path.relative(path.dirname(shortName), at('scripts/gateway.sh')), shortName);
  };
  const holdsTools = () =>
    fs.existsSync(installed) && /"devDependencies": true/.test(fs.readFileSync(installed, 'utf8'));
  const installation = (withTools) => {
    const [command, args] = npmCommand([
      'exec',
      '--yes',
      '--prefer-offline',
      '--',
      PNPM,
      'install',
      '--frozen-lockfile',
      `--prod=${!withTools}`,
      '--config.confirm-modules-purge=false',
      '--config.ignore-scripts=false',
      '--reporter=append-only',
    ]);
    return {
      label: 'Installing dependencies',
      command,
      args,
      env: () => installEnvironment(process.env, at('.cache')),
      finish: linkShortName,
      hash: () =>
        computeHash(
          root,
          [
            ...['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc'].map((f) => at(f)),
            ...folders.map((p) => path.join(p, 'package.json')),
          ],
          `${process.platform} ${process.arch}`,
        ),
    };
  };
  const build = {
    name: 'build',
    label: 'Compiling',
    command: process.execPath,
    args: [compiler],
    env: () => process.env,
    outputs: () => compiled.map((p) => path.join(p, 'dist')),
    hash: () =>
      computeHash(root, [
        ...configs([...compiled, plain]),
        ...compiled.flatMap((p) => sources(path.join(p, 'src'))),
        ...plainSources,
        compiler,
      ]),
  };
  return [
    {
      ...installation(true),
      name: 'install',
      outputs: () => [holdsTools() ? installed : at('node_modules/.tools'), shortName],
    },
    {
      // Tools of lint and tests stay where they are installed.
      ...installation(holdsTools()),
      name: 'install-product',
      coveredBy: 'install',
      outputs: () => [installed, shortName],
    },
    {
      name: 'generate',
      label: 'Generating the database client',
      command: tool(root, 'prisma'),
      args: ['generate'],
      env: () => ({ ...process.env, ...QUIET_PRISMA }),
      outputs: () => [at('packages/shared/src/domain/db/generated')],
      hash: () =>
        computeHash(root, [at('prisma/schema.prisma'), at('prisma.config.ts'), at('pnpm-lock.yaml')]),
    },
    {
      name: 'build-stack',
      label: 'Compiling the local stack',
      command: process.execPath,
      args: [compiler, stack],
      // Type errors, but everything was written: tests may run, the type check is a check of its own.
      goodEnough: [2],
      env: () => process.env,
      outputs: () => [path.join(stack, 'dist')],
      hash: () =>
        computeHash(root, [
          ...configs([stack, plain]),
          ...sources(path.join(stack, 'src')),
          ...plainSources,
          compiler,
        ]),
    },
    build,
    // Type errors, but everything was written.
    { ...build, name: 'build-for-tests', coveredBy: 'build', goodEnough: [2] },
    {
      name: 'dashboard',
      label: 'Building the dashboard',
      command: tool(root, 'vite'),
      args: ['build', '--logLevel', 'warn', dashboard],
      env: () => ({ ...process.env, NODE_ENV: 'production' }),
      outputs: () => [path.join(dashboard, 'dist/index.html')],
      hash: () =>
        computeHash(root, [
          ...['package.json', 'index.html', 'vite.config.ts', 'tsconfig.json'].map((f) =>
            path.join(dashboard, f),
          ),
          ...['src', 'public'].flatMap((folder) => sources(path.join(dashboard, folder))),
          ...['contract', 'money'].flatMap((folder) => sources(at('packages/shared/src/domain', folder))),
          at('pnpm-lock.yaml'),
        ]),
    },
  ];
}
