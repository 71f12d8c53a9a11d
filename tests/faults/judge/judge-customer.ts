import type { Laboratory } from '../lab/start-laboratory.js';
import type { Submission } from '../load/submission.js';
import { judgeHooks } from './judge-hooks.js';
import { judgeImages } from './judge-images.js';
import { judgeMoney } from './judge-money.js';
import { judgeSubmissions } from './judge-submissions.js';
import { readHistory, type TaskHistory } from './read-history.js';
import { readTold } from './read-told.js';

/** A customer and what he was answered. */
export interface CustomerToJudge {
  readonly customer: {
    readonly id: string;
    readonly apiKey: string;
    readonly webhookSecret: string;
    readonly paidInMicros: bigint;
  };
  readonly submissions: readonly Submission[];
}

const MAX_IMAGES = 80;

/** Judges all that happened to a customer whose work has come to rest. */
export async function judgeCustomer(
  lab: Laboratory,
  { customer, submissions }: CustomerToJudge,
): Promise<{ readonly faults: readonly string[]; readonly history: readonly TaskHistory[] }> {
  const { database } = lab.services;
  const history = await readHistory(database, customer.id);
  const told = await readTold(lab.fleet.apiUrls[1] ?? '', customer.apiKey);
  const faults = [
    ...judgeSubmissions(submissions, history),
    ...(await judgeMoney(database, customer, history)),
    ...judgeHooks({ hooks: lab.receiver.hooks(), history, secret: customer.webhookSecret, told }),
    ...(await judgeImages(history, told, MAX_IMAGES)),
  ];
  for (const { id, status } of history) {
    const said = told.get(id);
    if (said?.status !== status) {
      faults.push(`task ${id} is ${status} and GET says ${said?.status ?? 'nothing'}`);
    }
  }
  return { faults, history };
}
