import { applyCatalog } from '@image-gateway/testing';
import type { Service } from '../../lab/start-fleet.js';
import type { Scenario, Scene } from '../scenario.js';
import { deadlineIn } from '../support/deadline-in.js';
import { untilRunning } from '../support/until-running.js';
import { repeatUntilFiring } from './processes.js';

const LATE_MS = 6_500;
const BETWEEN_MS = 1_500;

/** Submits slowly while a service refuses connections, until alerts fire. */
async function refuse(scene: Scene, service: Service, alerts: readonly string[]): Promise<void> {
  const wish = () => ({ prompt: 'sandbox:fixed' });
  const load = scene.load({ count: 10_000, perSecond: 4, keyed: 0, wish });
  scene.lab.fleet.setWires(service, { kind: 'refuse' });
  scene.injected();
  try {
    await scene.lab.alerts.untilFiring(alerts);
  } finally {
    load.stop();
    scene.lab.fleet.setWires(service, { kind: 'pass' });
    await load.done;
  }
}

/** Services that are away for longer than anybody should sleep, and data that stops work. */
export const serviceAlertScenarios: readonly Scenario[] = [
  {
    name: 'alert-postgres-away',
    fault: 'PostgreSQL refuses connections until somebody is woken',
    outcome: 'it is told that requests end in server errors',
    alerts: { fire: ['GatewayServerErrors'] },
    restWithinMs: 40_000,
    run: (scene) => refuse(scene, 'postgres', ['GatewayServerErrors']),
  },
  {
    name: 'alert-redis-away',
    fault: 'Redis refuses connections for long',
    outcome: 'it is told that limits are kept in memory and tasks start later',
    alerts: { fire: ['GatewayRedisTrouble'] },
    run: (scene) => refuse(scene, 'redis', ['GatewayRedisTrouble']),
  },
  {
    name: 'alert-storage-away',
    fault: 'the object store refuses connections until somebody is woken',
    outcome: 'it is told that calls wait for it',
    alerts: { fire: ['GatewayImagesNotStored'] },
    restWithinMs: 40_000,
    run: (scene) => refuse(scene, 's3', ['GatewayImagesNotStored']),
  },
  {
    name: 'alert-webhooks-late',
    fault: `the webhook worker reaches PostgreSQL only for ${BETWEEN_MS} ms every ${(LATE_MS + BETWEEN_MS) / 1_000} s`,
    outcome: 'it is told that webhooks are late',
    alerts: { fire: ['GatewayWebhooksLate'], may: ['GatewayDueWorkWaits'] },
    run: async (scene) => {
      const wish = () => ({ prompt: 'sandbox:fixed' });
      const load = scene.load({ count: 10_000, perSecond: 5, keyed: 0, wish, hook: () => 'ok' });
      await repeatUntilFiring(scene, ['GatewayWebhooksLate'], async () => {
        scene.lab.fleet.setWires('postgres', { kind: 'refuse' }, ['webhooks-1']);
        scene.injected();
        await scene.sleep(LATE_MS);
        scene.lab.fleet.setWires('postgres', { kind: 'pass' }, ['webhooks-1']);
        await scene.sleep(BETWEEN_MS);
      });
      load.stop();
      await load.done;
    },
  },
  {
    name: 'alert-tasks-set-aside',
    fault: 'the row of an account is locked while the deadlines of its tasks pass',
    outcome: 'it is told that tasks cannot be ended; they end when the lock is gone',
    alerts: { fire: ['GatewayTasksSetAside'], may: ['GatewayDueWorkWaits'] },
    restWithinMs: 90_000,
    run: async (scene) => {
      const wish = () => ({ prompt: 'sandbox:fixed sandbox:delay=20000' });
      await scene.load({ count: 5, keyed: 0, wish }).done;
      await untilRunning(scene, 5);
      await deadlineIn(scene, 2);
      const holder = await scene.lab.services.database.pool.connect();
      try {
        await holder.query('BEGIN');
        await holder.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [scene.customer.id]);
        scene.injected();
        await scene.lab.alerts.untilFiring(['GatewayTasksSetAside']);
        await holder.query('ROLLBACK');
      } finally {
        holder.release(true);
      }
    },
  },
  {
    name: 'alert-catalog-unreadable',
    fault: 'the newest catalog version is one that no process can read',
    outcome: 'it is told that processes are behind; the version before goes on',
    alerts: { fire: ['GatewayCatalogUnreadable'] },
    run: async ({ lab, injected }) => {
      const { database } = lab.services;
      await database.pool.query(
        `INSERT INTO catalog_versions (id, source, document, digest, origin)
         SELECT max(id) + 1, 'models: 5', '{"models": 5}', encode(sha256(convert_to('models: 5', 'UTF8')), 'hex'), 'cli'
           FROM catalog_versions`,
      );
      injected();
      try {
        await lab.alerts.untilFiring(['GatewayCatalogUnreadable']);
      } finally {
        await applyCatalog(database, '');
      }
    },
  },
];
