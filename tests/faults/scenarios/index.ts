import type { Options } from '../options.js';
import type { Random } from '../random.js';
import { processAlertScenarios } from './alerts/processes.js';
import { serviceAlertScenarios } from './alerts/services.js';
import { upstreamAlertScenarios } from './alerts/upstreams.js';
import { baseline } from './baseline.js';
import { chaos } from './chaos.js';
import { erasureScenarios } from './erasure.js';
import { facadeScenarios } from './facade.js';
import { fuzzScenarios } from './fuzz.js';
import { mcpScenarios } from './mcp.js';
import { moneyScenarios } from './money.js';
import { operatorScenarios } from './operator.js';
import { processScenarios } from './processes.js';
import { stoppedScenarios } from './processes-stopped.js';
import type { Scenario } from './scenario.js';
import { secretScenarios } from './secrets.js';
import { backupScenarios } from './services/backup.js';
import { failoverScenarios } from './services/failover.js';
import { machineScenarios } from './services/machines.js';
import { poolerScenarios } from './services/poolers.js';
import { postgresScenarios } from './services/postgres.js';
import { redisScenarios } from './services/redis.js';
import { storageScenarios } from './services/storage.js';
import { largeStorageScenarios } from './services/storage-large.js';
import { sweepScenarios } from './sweeps.js';
import { attackScenarios } from './tenants/attacks.js';
import { imageBombScenarios } from './tenants/image-bombs.js';
import { inputScenarios } from './tenants/inputs.js';
import { readScenarios } from './tenants/reads.js';
import { slowReaderScenarios } from './tenants/slow-readers.js';
import { strangerScenarios } from './tenants/strangers.js';
import { uploadScenarios } from './tenants/uploads.js';
import { instanceScenarios } from './upstreams/instances.js';
import { taskScenarios } from './upstreams/tasks.js';
import { upstreamScenarios } from './upstreams/upstreams.js';
import { webhookScenarios } from './webhooks.js';

/** All scenarios that run once. */
export const SCENARIOS: readonly Scenario[] = [
  ...baseline,
  ...processScenarios,
  ...stoppedScenarios,
  ...facadeScenarios,
  ...mcpScenarios,
  ...redisScenarios,
  ...postgresScenarios,
  ...failoverScenarios,
  ...poolerScenarios,
  ...backupScenarios,
  ...erasureScenarios,
  ...readScenarios,
  ...storageScenarios,
  ...webhookScenarios,
  ...machineScenarios,
  ...imageBombScenarios,
  ...inputScenarios,
  ...slowReaderScenarios,
  ...strangerScenarios,
  ...uploadScenarios,
  ...attackScenarios,
  ...secretScenarios,
  ...fuzzScenarios,
  ...moneyScenarios,
  ...operatorScenarios,
  ...sweepScenarios,
  ...processAlertScenarios,
  ...serviceAlertScenarios,
  ...upstreamAlertScenarios,
  chaos(1, 25),
  chaos(2, 25),
  ...upstreamScenarios,
  ...instanceScenarios,
  ...taskScenarios,
  ...largeStorageScenarios,
];

/** The scenarios of a run in the order that its seed decides: those with the sandbox provider first, then those with upstreams. */
export function scenariosFor({ only }: Pick<Options, 'only'>, random: Random): Scenario[] {
  const wanted = SCENARIOS.filter(
    ({ name }) => only.length === 0 || only.some((part) => name.includes(part)),
  );
  if (wanted.length === 0) {
    throw new Error(`there is no scenario ${only.join(' ')}`);
  }
  const group = (providers: Scenario['providers']): Scenario[] =>
    random.shuffled(wanted.filter((one) => one.providers === providers));
  return [
    ...group(undefined),
    ...group('gemini,fal'),
    ...group('fal,gemini'),
    ...group('gpu-1,gpu-2'),
    ...group('relay,chain'),
  ];
}

/** One of the random scenarios that a long run consists of. */
export function soakScenario(number: number): Scenario {
  return chaos(100 + number, 30);
}
