import { readFile } from 'node:fs/promises';
import type { LedgerReport } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { checkLedger } from '../../../operations/system/ledger/check-ledger.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

const MAX_ROWS = 20;

/** `POST /dashboard/api/operator/ledger/check`: the money and state invariants that hold at every moment; one check at a time, since it reads everything. */
export function runLedgerCheck(deps: {
  readonly db: Pick<Database, 'run'>;
  /** The path of invariants.sql. */
  readonly invariantsFile: string;
}): UserHandler<'post /operator/ledger/check'> {
  let isRunning = false;
  return async () => {
    if (isRunning) {
      throw new AppError('RATE_LIMITED', {
        publicMessage: 'A check is running already. Wait for it to end.',
      });
    }
    isRunning = true;
    const startedAt = performance.now();
    try {
      const invariants = await readFile(deps.invariantsFile, 'utf8');
      const { checked, broken } = await checkLedger({ db: deps.db }, { invariants, rest: false });
      const report: LedgerReport = {
        checked,
        broken: broken.map(({ name, rows }) => ({ name, rows: rows.slice(0, MAX_ROWS) })),
        ms: Math.round(performance.now() - startedAt),
      };
      return dataReply(report);
    } finally {
      isRunning = false;
    }
  };
}
