import { applyCatalog } from '@image-gateway/testing';
import type { Scenario, Scene } from '../scenario.js';
import { followCatalog } from '../support/follow-catalog.js';
import { numbered } from '../support/numbered.js';
import { SLOW_STARTS } from './may-fire.js';

const SLOW_MS = 4_000;

/** Document that sells `nanobanana` on one instance at fifty times its price. */
const buildDearDocument = (url: string): string => `
providers: { gpu-1: { protocol: openai, base_url: "${url}/v1", key_env: GPU_1_KEYS } }
models:
  nanobanana:
    routes: [{ provider: gpu-1, model: Qwen/Qwen-Image, cost: { 1k: "0.5", 2k: "0.5", 4k: "0.5" } }]`;

/** Submits at a rate until alerts fire. */
async function loadUntilFiring(scene: Scene, perSecond: number, alerts: readonly string[]): Promise<void> {
  const wish = numbered(`alert ${scene.customer.id}`);
  const load = scene.load({ count: 10_000, perSecond, keyed: 0, wish });
  try {
    await scene.lab.alerts.untilFiring(alerts, 180_000);
  } finally {
    load.stop();
    await load.done;
  }
}

/** Providers that fail, refuse, are slow, or cost more than they bring. */
export const upstreamAlertScenarios: readonly Scenario[] = [
  {
    name: 'alert-upstreams-down',
    fault: 'every provider answers 500 for long',
    outcome: 'it is told that tasks fail, and by which provider',
    providers: 'gemini,fal',
    alerts: { fire: ['GatewayTasksFail', 'GatewayProviderFails'] },
    // A circuit that has long been open lets the next call through after a minute.
    restWithinMs: 90_000,
    run: async (scene) => {
      scene.lab.upstreams.behave('gemini', { mode: 'server-error' });
      scene.lab.upstreams.behave('fal', { mode: 'server-error' });
      scene.injected();
      await loadUntilFiring(scene, 4, ['GatewayTasksFail', 'GatewayProviderFails']);
    },
  },
  {
    name: 'alert-provider-refuses',
    fault: 'the first provider refuses one call, since its account has no money left; the next one delivers',
    outcome: 'it is told at once which provider refuses which model, and why',
    providers: 'gemini,fal',
    alerts: { fire: ['GatewayProviderNeedsOperator'] },
    run: async (scene) => {
      scene.lab.upstreams.behave('gemini', { mode: 'billing' });
      scene.injected();
      await scene.submitOne({ prompt: `alert ${scene.customer.id}` });
      await scene.lab.alerts.untilFiring(['GatewayProviderNeedsOperator'], 30_000);
    },
  },
  {
    name: 'alert-provider-slow-and-dear',
    fault: `a provider takes ${SLOW_MS / 1_000} s a call and costs fifty times the price`,
    outcome: 'it is told that it is slow, and that images are sold below cost',
    providers: 'gpu-1,gpu-2',
    // Workers start when the catalog names their instances. Until then those of the scenario before are watched, and a Prometheus without
    // a past takes their refusals for new ones.
    alerts: {
      fire: ['GatewayProviderSlow', 'GatewaySoldBelowCost'],
      may: [...SLOW_STARTS, 'GatewayProviderNeedsOperator'],
    },
    restWithinMs: 40_000,
    run: async (scene) => {
      const { services, upstreams, upstreamWire } = scene.lab;
      await followCatalog(scene, buildDearDocument(upstreamWire.url));
      upstreams.behave('openai', { mode: 'ok', latencyMs: SLOW_MS });
      scene.injected();
      try {
        await loadUntilFiring(scene, 1, ['GatewayProviderSlow', 'GatewaySoldBelowCost']);
      } finally {
        await applyCatalog(services.database, '');
      }
    },
  },
];
