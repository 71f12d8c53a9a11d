import { test } from '@jest/globals';
import { objectStoreConformance } from './conformance/object-store-conformance.js';
import { findObjectStore } from './find-object-store.js';
import { startVersitygw } from './start-versitygw.js';

const program = findObjectStore('versitygw');
if (program === null) {
  test.skip('versitygw is not here (set VERSITYGW_BIN, or npm run object-stores:build with Go)', () =>
    undefined);
} else objectStoreConformance('versitygw', () => startVersitygw(program));
