// Prints what the changelog says about a version: `node scripts/release/release-notes.mjs v0.3.0`.
import fs from 'node:fs';
import path from 'node:path';
import { findNotes, parseVersion } from './read-release.mjs';

const version = parseVersion(process.argv[2] ?? '');
const changelog = fs.readFileSync(path.resolve(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
const notes = findNotes(changelog, version);
if (notes === null) {
  console.error(`CHANGELOG.md has no part about ${version}`);
  process.exit(1);
}
console.log(`${notes}\n\nWhat to do before an upgrade stands in UPGRADING.md.`);
