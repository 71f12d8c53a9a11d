// Reads a release from the files that name it.
import fs from 'node:fs';
import path from 'node:path';

/** Images of a release: Dockerfiles in docker/ with their targets and folders, and the names in a registry. */
export const IMAGES = [
  { file: 'node.Dockerfile', target: 'api', context: '.', name: 'image-gateway-api' },
  {
    file: 'node.Dockerfile',
    target: 'generation-worker',
    context: '.',
    name: 'image-gateway-generation-worker',
  },
  { file: 'node.Dockerfile', target: 'webhook-worker', context: '.', name: 'image-gateway-webhook-worker' },
  { file: 'node.Dockerfile', target: 'migrate', context: '.', name: 'image-gateway-migrate' },
  { file: 'node.Dockerfile', target: 'gateway', context: '.', name: 'image-gateway' },
  { file: 'store.Dockerfile', target: 'store', context: 'docker', name: 'image-gateway-store' },
  { file: 'minio.Dockerfile', target: 'minio', context: 'docker', name: 'image-gateway-minio' },
];

const CHART = 'deploy/helm/image-gateway/Chart.yaml';
const NOTES = ['CHANGELOG.md', 'UPGRADING.md'];
const VERSION = /^\d+\.\d+\.\d+$/;

/** Returns the version that a tag or a version names. Throws for anything else. @param {string} name */
export function parseVersion(name) {
  const version = name.replace(/^v/, '');
  if (!VERSION.test(version)) {
    throw new Error(`${name} is no version such as 0.3.0 and no tag such as v0.3.0`);
  }
  return version;
}

/**
 * Returns the part of a changelog about one version, without its heading; null for none.
 * @param {string} changelog
 * @param {string} version
 */
export function findNotes(changelog, version) {
  const parts = changelog.split(/^## /m);
  const part = parts.find((one) => one.split('\n', 1)[0]?.split(' ', 1)[0] === version);
  return part === undefined ? null : part.slice(part.indexOf('\n') + 1).trim();
}

/** Lists what disagrees with a version in the files of a folder. @param {string} root @param {string} version */
export function findDisagreements(root, version) {
  const read = (/** @type {string} */ name) => fs.readFileSync(path.join(root, name), 'utf8');
  const packages = fs.globSync(
    ['package.json', '{apps,packages,clients}/*/package.json', 'bench/package.json'],
    {
      cwd: root,
    },
  );
  const faults = packages.flatMap((name) => {
    const found = JSON.parse(read(name)).version;
    return name.startsWith('clients/') || found === version ? [] : [`${name} says ${found ?? 'no version'}`];
  });
  for (const field of ['version', 'appVersion']) {
    const [, found] = new RegExp(`^${field}: "?([^"\\s]+)`, 'm').exec(read(CHART)) ?? [];
    if (found !== version) {
      faults.push(`${CHART} says ${field} ${found ?? 'nothing'}`);
    }
  }
  for (const name of NOTES) {
    if (!findNotes(read(name), version)) {
      faults.push(`${name} has no part about ${version}`);
    }
  }
  for (const name of ['docker/compose.yaml', 'docker/compose.minio.yaml', '.env.example']) {
    const named = [...read(name).matchAll(/IMAGE_VERSION(?::-|=)([\d.]+)/g)].map(([, found]) => found);
    const others = named.filter((found) => found !== version);
    if (named.length === 0 || others.length > 0) {
      faults.push(`${name} names the IMAGE_VERSION ${others[0] ?? 'nowhere'}`);
    }
  }
  for (const { file, target } of IMAGES) {
    const targets = [...read(`docker/${file}`).matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name);
    if (!targets.includes(target)) {
      faults.push(`docker/${file} has no target ${target}`);
    }
  }
  return faults;
}

/** Lists the notes that still call a version unreleased. @param {string} root @param {string} version */
export function findUnreleased(root, version) {
  return NOTES.filter((name) =>
    fs.readFileSync(path.join(root, name), 'utf8').includes(`\n## ${version} (unreleased)\n`),
  ).map((name) => `${name} calls ${version} unreleased`);
}
