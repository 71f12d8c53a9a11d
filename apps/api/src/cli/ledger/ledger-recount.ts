import { Command } from '@commander-js/extra-typings';
import { recountLedger } from '../../operations/system/ledger/recount-ledger.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';

/** Builds `ledger recount`, which repairs the counters that `ledger check` names. */
export function buildLedgerRecount({ db, reportProgress, show }: CliRun) {
  return new Command('recount')
    .description('Rebuild all counters, sums and roll-ups from their rows; money is never changed')
    .addHelpText('after', formatExample('ledger recount'))
    .action(async () => {
      reportProgress(
        'Counting every task, call, webhook and usage record. Submits and workers wait meanwhile.',
      );
      const started = Date.now();
      await recountLedger({ db: db() }, { actor: 'cli' });
      const seconds = Math.ceil((Date.now() - started) / 1_000);
      show({
        value: { ok: true, seconds },
        text: `All counters are rebuilt (${seconds} s). Run \`ledger check\` again: what it still names is no counter.`,
      });
    });
}
