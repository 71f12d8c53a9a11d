import { once } from 'node:events';
import { repositoryRoot } from '@image-gateway/testing';
import { summaryLine } from '../../scripts/testing/summary-line.mjs';
import { judgeUpgrade, PROMISES } from './judge-upgrade.js';
import { createNotes } from './notes.js';
import { readOptions } from './options.js';
import { listReleases, prepareRelease, type Release } from './prepare-release.js';
import { runUpgrade } from './run-upgrade.js';
import { startSite } from './start-site.js';

const WENT_THROUGH = 'the upgrade goes through all its steps';
/** The newest releases of docs/releases.md from which an upgrade is tried. */
const RELEASES = 2;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function upgrade(old: Release, seconds: number, signal: AbortSignal): Promise<number> {
  const notes = createNotes();
  const begun = performance.now();
  const site = await startSite(signal);
  try {
    const releases = { old, new: { name: 'new' as const, root: repositoryRoot() } };
    const stopped = once(signal, 'abort').then(() => Promise.reject(new Error('stopped by a signal')));
    const upgraded = await Promise.race([runUpgrade(site, releases, { seconds, notes, say }), stopped]);
    notes.begin('');
    await judgeUpgrade(site, releases, upgraded, notes);
    const { traffic, sent, invariants } = upgraded;
    const replays = Object.entries(traffic.replays).map(([way, count]) => `${count} ${way}`);
    say(
      `${sent.length} tasks; repeated keys: ${replays.join(', ')}; ${traffic.facadeAnswers()} answers of the facade; ${invariants.rounds()} live checks`,
    );
  } catch (error) {
    if (signal.aborted) {
      return 130;
    }
    notes.add(WENT_THROUGH, error instanceof Error ? error.message : String(error));
  } finally {
    await site.stop();
  }
  let failed = 0;
  const promises = [WENT_THROUGH, ...PROMISES];
  for (const promise of promises) {
    const faults = notes.of(promise);
    say(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${promise}`);
    for (const fault of faults) {
      say(`     ${fault.replaceAll('\n', '\n     ')}`);
    }
    if (faults.length > 0) {
      failed += 1;
    }
  }
  say(summaryLine({ passed: promises.length - failed, failed }));
  say(`Time:        ${Math.round((performance.now() - begun) / 1_000)} s`);
  return failed === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const { seconds, from } = readOptions(process.argv.slice(2));
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stopping.abort());
  }
  const newest = listReleases().slice(0, RELEASES);
  let code = 0;
  for (const release of from === null ? newest.map(({ version }) => version) : [from]) {
    const prepared = prepareRelease(release);
    if ('missing' in prepared) {
      say(`Upgrade from ${release}: left out, ${prepared.missing}.`);
      say(summaryLine({ skipped: 1 }));
    } else {
      say(`Upgrade from ${release} (${prepared.commit.slice(0, 12)}) under ${seconds} s of load`);
      code = Math.max(code, await upgrade(prepared.release, seconds, stopping.signal));
    }
  }
  return code;
}

// A client that is still polling must not keep the process.
process.exit(await main());
