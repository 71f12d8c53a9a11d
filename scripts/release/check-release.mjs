// Compares version, changelog, upgrade notes, chart, compose file, images and tag of a release: `node
// scripts/release/check-release.mjs v0.3.0`. Without an argument it compares the files with the version in package.json. Ends
// with 1 and names each disagreement.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findDisagreements, findUnreleased, parseVersion } from './read-release.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const [name] = process.argv.slice(2);
const version = parseVersion(
  name ?? JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')).version,
);
const faults = findDisagreements(root, version);
if (name?.startsWith('v')) {
  faults.push(...findUnreleased(root, version));
  const git = (/** @type {string[]} */ ...args) =>
    spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();
  if (git('cat-file', '-t', `refs/tags/${name}`) !== 'tag') {
    faults.push(`${name} is no annotated tag here: git tag --annotate ${name}`);
  } else if (git('rev-parse', `${name}^{commit}`) !== git('rev-parse', 'HEAD')) {
    faults.push(`the tag ${name} names another commit than the one that is checked out`);
  }
}
for (const fault of faults) {
  console.error(fault);
}
console.log(
  faults.length === 0 ? `${version}: all files agree` : `${version}: ${faults.length} disagreements`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
