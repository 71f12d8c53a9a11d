// Prints the path of a Node.js for this project, and installs it first where it is missing. Runs on Node.js 20.19 and newer.
import fs from 'node:fs';
import path from 'node:path';
import { main } from './check-node.mjs';
import { findNode, installNode } from './node-package.mjs';

const OLDEST_INSTALLER = '20.19';

await main(async () => {
  const version = fs.readFileSync(path.resolve(import.meta.dirname, '../../.nvmrc'), 'utf8').trim();
  const file = findNode(version);
  if (file !== null) {
    console.log(file);
    return 0;
  }
  console.error(
    `Node.js ${process.versions.node} is older than 22.13: installing Node.js ${version} into .cache, once.`,
  );
  try {
    console.log(installNode(version));
    return 0;
  } catch (error) {
    const reason = error.message.split('\n')[0];
    console.error(`That failed (${reason}). Install Node.js ${version} yourself, and run this again.`);
    return 1;
  }
}, OLDEST_INSTALLER);
