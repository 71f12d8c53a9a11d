// npm run sbom: the software bill of materials (CycloneDX, JSON) of what the container images hold, from the lock file.
// It names the licences of those that are installed. Needs no network.
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { parseOptions } from './options/parse-options.mjs';

const ROOT = path.resolve(import.meta.dirname, '..');
/** Workspaces whose production dependencies are in the images. */
const SHIPPED = [
  'apps/api',
  'apps/generation-worker',
  'apps/webhook-worker',
  'apps/dashboard',
  'packages/local-stack',
];

const USAGE = `Usage: npm run --silent sbom > FILE

Prints the software bill of materials of the container images (CycloneDX, JSON), from the lock file.`;

if (parseOptions(USAGE, {}) === null) {
  process.exit(0);
}
const lock = parse(fs.readFileSync(path.join(ROOT, 'pnpm-lock.yaml'), 'utf8'));
const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));

/** Lists the keys of what a workspace or a package needs in production, with the workspaces that it links. */
function listNeeds({ dependencies = {}, optionalDependencies = {} }, folder) {
  return Object.entries({ ...dependencies, ...optionalDependencies }).map(([name, value]) => {
    const wanted = value.version ?? value;
    if (wanted.startsWith('link:')) {
      return { workspace: path.posix.join(folder, wanted.slice('link:'.length)) };
    }
    return { key: lock.snapshots[wanted] ? wanted : `${name}@${wanted}` };
  });
}

/** Collects the keys of all packages in the images. */
function collectKeys() {
  const keys = new Set();
  const workspaces = new Set();
  const visit = (needs) => {
    for (const { workspace, key } of needs) {
      if (workspace !== undefined && !workspaces.has(workspace)) {
        workspaces.add(workspace);
        visit(listNeeds(lock.importers[workspace], workspace));
      } else if (key !== undefined && !keys.has(key)) {
        keys.add(key);
        visit(listNeeds(lock.snapshots[key], ''));
      }
    }
  };
  visit(SHIPPED.map((workspace) => ({ workspace })));
  return keys;
}

/** Folders of the installed packages. */
const STORE = path.join(ROOT, 'node_modules/.pnpm');
const installed = fs.existsSync(STORE) ? fs.readdirSync(STORE) : [];

/** Returns the licence that an installed package names; nothing for one of another platform, which is not installed. */
function readLicense(name, number) {
  const start = `${name.replace('/', '+')}@${number}`;
  const folder = installed.find((one) => one === start || one.startsWith(`${start}_`));
  if (folder === undefined) {
    return {};
  }
  const { license } = JSON.parse(
    fs.readFileSync(path.join(STORE, folder, 'node_modules', name, 'package.json'), 'utf8'),
  );
  const said = typeof license === 'string' ? license : license?.type;
  if (said === undefined) {
    return {};
  }
  const isExpression = /^[\w.+() -]+$/.test(said) && !/^see /i.test(said);
  return { licenses: [isExpression ? { expression: said } : { license: { name: said } }] };
}

/** Describes a package. A key such as `@a/b@1.2.3(peer@4.5.6)` also names peers; the lock file has one digest for all of them. */
function describe(name, number) {
  const { integrity } = lock.packages[`${name}@${number}`].resolution;
  const purl = `pkg:npm/${name.replace('@', '%40')}@${number}`;
  const content = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version: number,
    purl,
    hashes: [{ alg: 'SHA-512', content }],
    ...readLicense(name, number),
  };
}

const bare = new Set([...collectKeys()].map((key) => key.replace(/\(.*$/, '')));
const components = [...bare]
  .sort()
  .map((key) => describe(key.slice(0, key.lastIndexOf('@')), key.slice(key.lastIndexOf('@') + 1)));
const component = {
  type: 'application',
  name: 'image-gateway',
  version,
  licenses: [{ license: { id: 'Apache-2.0' } }],
};
const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components };
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
