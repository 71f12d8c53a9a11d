import type { RefusalDetails } from '../contract/index.js';
import { AppError } from '../errors/index.js';
import { formatDollars } from '../money/index.js';
import type { ExceededLimit, LimitName } from './judge-submit.js';

/** Costs of a refused request, and what its caller may read. */
export interface RefusedRequest {
  /** Micro-dollars. */
  readonly costMicros: bigint;
  /** True if the request is not read yet: it costs that much or more. */
  readonly isLeast: boolean;
  /** True if the caller may read the balance of the account. */
  readonly showsBalance: boolean;
  /** Key of metadata whose values have daily caps of their own. */
  readonly capPerKey: string | null;
  /** Page where the account is topped up (TOP_UP_URL). */
  readonly topUpUrl: string | undefined;
}

const WEBHOOK_ADVICE = 'Wait for some to be delivered or to fail, or leave webhook_url out.';

const tooMany = (
  { most }: ExceededLimit,
  retryAfterSeconds: number,
  { what, setting, advice }: { readonly what: string; readonly setting?: string; readonly advice: string },
): AppError => {
  const named = setting === undefined ? '' : ` (${setting})`;
  const publicMessage = `${what}, the most it may have is ${most}${named}. ${advice}`;
  return new AppError('RATE_LIMITED', { publicMessage, retryAfterSeconds });
};
const unpaid = (
  publicMessage: string,
  { costMicros, topUpUrl }: RefusedRequest,
  more: Omit<RefusalDetails, 'needed' | 'top_up_url'>,
): AppError =>
  new AppError('INSUFFICIENT_BALANCE', {
    publicMessage,
    details: {
      needed: formatDollars(costMicros),
      ...more,
      ...(topUpUrl !== undefined && { top_up_url: topUpUrl }),
    },
  });
const describeCost = ({ costMicros, isLeast }: RefusedRequest): string =>
  `costs ${isLeast ? 'at least ' : ''}${formatDollars(costMicros)}`;
const overCap = (what: string, { name, used, most }: ExceededLimit, request: RefusedRequest): AppError =>
  unpaid(`${what} (${name}). This request ${describeCost(request)}.`, request, {
    limit: formatDollars(most),
    used: formatDollars(used),
  });
const describeUse = ({ used, most }: ExceededLimit, cap: string): string =>
  `spent or reserved ${formatDollars(used)} of ${cap} cap of ${formatDollars(most)}`;
const overCapOfKey =
  (cap: string) =>
  (limit: ExceededLimit, request: RefusedRequest): AppError =>
    overCap(`This key has ${describeUse(limit, `its ${cap}`)}`, limit, request);

/** Errors of the limits. */
const REFUSALS: Readonly<Record<LimitName, (limit: ExceededLimit, request: RefusedRequest) => AppError>> = {
  known: () => new AppError('UNAUTHORIZED'),
  active: () => new AppError('FORBIDDEN'),
  open_tasks: (limit) =>
    tooMany(limit, 5, {
      what: `This account has ${limit.used} open tasks`,
      advice: 'Wait for some to finish.',
    }),
  failed_tasks: (limit) =>
    tooMany(limit, limit.retrySeconds ?? 1, {
      what: `${limit.used} tasks of this account failed because of their requests in the last ${limit.seconds} seconds`,
      setting: 'MAX_FAILED_TASKS',
      advice: 'Moderation, refused input and unusable image_urls count.',
    }),
  deliveries: (limit) =>
    tooMany(limit, 60, {
      what: `This account has ${limit.used} webhooks that are not delivered yet`,
      setting: 'MAX_PENDING_DELIVERIES',
      advice: WEBHOOK_ADVICE,
    }),
  hosts: (limit) =>
    tooMany(limit, 60, {
      what: `Webhooks of this account wait for ${limit.used} hosts`,
      setting: 'MAX_PENDING_HOSTS',
      advice: WEBHOOK_ADVICE,
    }),
  cap_day: overCapOfKey('daily'),
  cap_month: overCapOfKey('monthly'),
  cap_total: overCapOfKey('total'),
  cap_day_per: (limit, request) =>
    overCap(
      `Requests with this metadata.${request.capPerKey} have ${describeUse(limit, 'their daily')} with this key`,
      limit,
      request,
    ),
  balance: ({ most }, request) =>
    unpaid(
      [
        `The balance does not cover this request, which ${describeCost(request)}`,
        request.showsBalance ? `: ${formatDollars(most)} is available. ` : '. ',
        'Ask the operator of this gateway for credit, or ask for fewer images.',
      ].join(''),
      request,
      request.showsBalance ? { available: formatDollars(most) } : {},
    ),
  catalog: () =>
    new AppError('SERVICE_UNAVAILABLE', {
      message: 'this process does not know the newest catalog version yet',
      retryAfterSeconds: 1,
    }),
};

/** Returns the error of a request that would exceed a limit. */
export function explainRefusal(limit: ExceededLimit, request: RefusedRequest): AppError {
  return REFUSALS[limit.name](limit, request);
}
