import type { Rate } from '../../runtime/config/index.js';
import { getHostPort } from '../../runtime/net/index.js';
import type { GenerateRequest, Metadata } from '../contract/index.js';
import { type AccountReads, readSql, type Statement } from '../db/index.js';
import { AppError } from '../errors/index.js';
import { getHoldMicros, type TaskPrice } from './price.js';

/** Limits that hold for each account unless it has its own. */
export interface DefaultLimits {
  /** Maximum of open tasks (`MAX_PENDING_TASKS`), unless the account has its own. */
  readonly maxOpenTasks: number;
  /** Maximum of webhooks that have not ended, those of open tasks included. */
  readonly maxPendingDeliveries: number;
  /** Maximum of `host:port`s that deliveries wait for; open tasks can lift it by as many as there are of them. */
  readonly maxPendingHosts: number;
  /** Maximum of tasks that fail because of their requests, unless the account has its own; null: no limit. */
  readonly maxFailedTasks: Rate | null;
}

/** Value of an entry of metadata that a daily cap is for. */
export interface CapValue {
  /** Key of the entry. */
  readonly key: string;
  /** Keyed hash of the value, in hexadecimal. */
  readonly hash: string;
}

/** Hashes a value of an account with a key that only the API has; hexadecimal. */
export type HashValue = (accountId: string, key: string, value: string) => string;

/** Request of a key that may have a cap by value. */
export interface ValuedRequest {
  readonly accountId: string;
  /** Key of metadata whose values have caps of their own; null or absent: there is no such cap. */
  readonly capPerKey?: string | null;
  readonly request: { readonly metadata?: Metadata };
}

/** Submit whose account, key and money are to be judged. */
export interface Submit {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly request: GenerateRequest;
  readonly price: TaskPrice;
  /** Value that has a daily cap of its own; null: the key has no such cap. */
  readonly capValue: CapValue | null;
}

/** Names of the limits in `judge-submit.sql`; `known` and `active` are about the account, `catalog` about the price. */
export type LimitName =
  | 'known'
  | 'active'
  | 'open_tasks'
  | 'failed_tasks'
  | 'deliveries'
  | 'hosts'
  | 'cap_day'
  | 'cap_month'
  | 'cap_total'
  | 'cap_day_per'
  | 'balance'
  | 'catalog';

/** Limit that a submit would exceed. */
export interface ExceededLimit {
  readonly name: LimitName;
  /** Number of tasks or webhooks, or micro-dollars, before the submit. */
  readonly used: bigint;
  /** The most that it may come to. */
  readonly most: bigint;
  /** Window of the limit of failed tasks, and the time until fewer are left in it; in seconds. */
  readonly seconds: number | null;
  readonly retrySeconds: number | null;
}

/** Judges a submit without making it; returns the limits that it would exceed, in the order of their numbers. */
export type JudgeSubmit = (submit: Submit) => Promise<readonly ExceededLimit[]>;

/** Returns the fields of an input row that are judged. */
export function toSubmitRow(
  { accountId, apiKeyId, request, price, capValue }: Submit,
  limits: DefaultLimits,
): Record<string, unknown> {
  const { webhook_url: webhookUrl } = request;
  return {
    account: accountId,
    key: apiKeyId,
    hold: String(getHoldMicros(request, price)),
    host: webhookUrl === undefined ? null : getHostPort(new URL(webhookUrl)),
    newest: price.newestVersion,
    cap_key: capValue?.key,
    cap_value: capValue?.hash,
    max_open_tasks: limits.maxOpenTasks,
    max_deliveries: limits.maxPendingDeliveries,
    max_hosts: limits.maxPendingHosts,
    max_failed_tasks: limits.maxFailedTasks?.limit,
    failed_tasks_seconds: limits.maxFailedTasks?.windowSeconds,
  };
}

const FIND_EXCEEDED_LIMITS: Statement = {
  name: 'find-exceeded-limits',
  text: readSql(import.meta.url, 'generated/find-exceeded-limits.sql'),
  batch: {},
};

/** Makes the function that judges submits on the connections of reads, without a lock: money may be gone in the next moment. */
export function createSubmitJudge({
  reads,
  ...limits
}: DefaultLimits & {
  readonly reads: { readonly ofAccount: (accountId: string) => AccountReads };
}): JudgeSubmit {
  return (submit) =>
    reads.ofAccount(submit.accountId).run<ExceededLimit>(FIND_EXCEEDED_LIMITS, [toSubmitRow(submit, limits)]);
}

/** True for limits of money, which the `affordable` of a quote is about. */
export function isAboutMoney({ name }: Pick<ExceededLimit, 'name'>): boolean {
  return name === 'balance' || name.startsWith('cap_');
}

/**
 * Finds the value whose cap a request counts for; null without such a cap. Throws AppError `VALIDATION_ERROR` for a request
 * without a value.
 */
export function findCapValue(
  { hashValue }: { readonly hashValue: HashValue },
  { accountId, capPerKey: key = null, request: { metadata = {} } }: ValuedRequest,
): CapValue | null {
  if (key === null) {
    return null;
  }
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  if (value === undefined) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `metadata.${key} must be given: this key has a daily cap for each of its values (cap_day_per).`,
    });
  }
  return { key, hash: hashValue(accountId, key, value) };
}
