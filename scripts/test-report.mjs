// npm run test:report: where the time of the tests goes, by file, folder and kind.
import { main } from './bootstrap/check-node.mjs';

await main(async () => (await import('./testing/report-times.mjs')).reportTimes());
