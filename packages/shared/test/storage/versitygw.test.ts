import { conformanceIfFound } from './conformance-if-found.js';
import { startVersitygw } from './start-versitygw.js';

conformanceIfFound('versitygw', 'versitygw', startVersitygw);
