import type { ScenarioAlerts } from '../scenario.js';

/** Processes that were killed and have not started again within four seconds. */
export const SLOW_STARTS = ['GatewayProcessMissing', 'GatewayDueWorkUnknown', 'GatewayDueWorkWaits'];
/** Tasks of workers that were killed, stopped or cut off. */
const LOST_TASKS = [...SLOW_STARTS, 'GatewayLeasesExpire'];
/** Services that are away for five seconds, which stand for two and a half minutes. */
const OUTAGE = ['GatewayDueWorkWaits', 'GatewayWebhooksLate'];
const DATABASE = [...OUTAGE, 'GatewayServerErrors', 'GatewayDueWorkUnknown', 'GatewayLeasesExpire'];
/** Providers that misbehave on purpose. */
const PROVIDERS = [
  'GatewayProviderNeedsOperator',
  'GatewayProviderFails',
  'GatewayProviderSlow',
  'GatewayTasksFail',
  'GatewayDueWorkWaits',
  'GatewaySoldBelowCost',
];

/**
 * Alerts that scenarios about something else may raise, since their fault lasts about as long as the alert waits. The first
 * pattern that fits a name counts.
 */
const MAY_FIRE: readonly (readonly [RegExp, readonly string[] | 'any'])[] = [
  [/^alert-/, []],
  [/^(chaos-\d+|power-cut)$/, 'any'],
  [
    /^(api-killed|facade-cut|uploads-left|funds-for-some|one-key-for-all|backup-restore|log-disk-full)$/,
    SLOW_STARTS,
  ],
  [/^mcp-killed$/, [...SLOW_STARTS, 'GatewayProviderSlow']],
  [/^many-overdue$/, [...SLOW_STARTS, 'GatewayTasksFail']],
  [/^(webhook-worker-|rolling-restart|sigterm-without-redis)/, [...SLOW_STARTS, 'GatewayWebhooksLate']],
  [/^(worker-|orphan-recovery|poison-task|clocks-wrong)/, LOST_TASKS],
  [/^postgres-/, DATABASE],
  [/^redis-(failover|absent-at-boot|away-many-waiting)$/, [...SLOW_STARTS, ...OUTAGE, 'GatewayRedisTrouble']],
  [/^redis-/, [...OUTAGE, 'GatewayRedisTrouble']],
  [/^storage-/, [...OUTAGE, 'GatewayImagesNotStored']],
  [/^instances$/, [...PROVIDERS, ...SLOW_STARTS]],
  [/^(upstreams-worker-killed|upstreams-tasks|image-bombs)$/, [...PROVIDERS, ...LOST_TASKS]],
  [/^(upstreams-|cancel-slow)/, PROVIDERS],
  // Attackers are answered 503 by design.
  [/^doors-attacked$/, ['GatewayServerErrors']],
  [/^(slow-|tenant-flood|reads-held-up)/, ['GatewayDueWorkWaits', 'GatewayProviderSlow']],
];

/** Returns the alerts of a scenario: its own ones, or those that one of its kind may raise. */
export function listAlerts(name: string, own: ScenarioAlerts | undefined): ScenarioAlerts {
  return own ?? { fire: [], may: MAY_FIRE.find(([pattern]) => pattern.test(name))?.[1] ?? [] };
}
