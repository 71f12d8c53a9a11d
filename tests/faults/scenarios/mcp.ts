import { createTestAccount } from '@image-gateway/testing';
import { callHttp } from '../load/http-client.js';
import type { Scenario, Scene } from './scenario.js';
import { killDuring } from './support/kill-during.js';
import { readSums } from './support/read-sums.js';

/** Time after which common clients of MCP give a call up. */
const CLIENT_TIMEOUT_MS = 60_000;
/** Longer than a tool waits, and less than a task of the laboratory may take. */
const LONG_DELAY_MS = 54_000;
const LONG_CALLS = 6;
const SHORT_CALLS = 12;
const DEAR_CALLS = 6;
const KILLS = 6;
const KILL_EVERY_MS = 4_000;
/** Calls after which a client gives up. */
const MAX_CALLS = 60;
const PAUSE_MS = 300;

interface ToolValue {
  readonly id?: string;
  readonly status?: string;
  readonly quote?: { readonly cost: string };
}

/** Observations of an agent. */
interface Agent {
  readonly apiKey: string;
  longestMs: number;
  broken: number;
  /** Calls that were answered before their task had ended. */
  pending: number;
}

/** Calls a tool as a client does that gives up after a minute; null where the connection broke. Throws Error for anything else. */
async function callTool(
  scene: Scene,
  agent: Agent,
  api: number,
  { name, args }: { readonly name: string; readonly args: Readonly<Record<string, unknown>> },
): Promise<ToolValue | null> {
  const begun = performance.now();
  const params = { name, arguments: args };
  const answer = await callHttp({
    url: `${scene.lab.fleet.apiUrls[api % 2]}/mcp`,
    method: 'POST',
    headers: {
      authorization: `Bearer ${agent.apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    timeoutMs: CLIENT_TIMEOUT_MS,
  }).catch((error: unknown) => {
    scene.must((error as { code?: string }).code !== 'TIMEOUT', `${name} was not answered in a minute`);
    return null;
  });
  agent.longestMs = Math.max(agent.longestMs, performance.now() - begun);
  if (answer === null || answer.status === 503) {
    agent.broken += 1;
    return null;
  }
  const text = answer.body.toString();
  const json = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}');
  const { result } = JSON.parse(json) as {
    result?: { isError?: boolean; structuredContent?: ToolValue };
  };
  if (answer.status !== 200 || result?.isError === true || result?.structuredContent === undefined) {
    throw new Error(`${name} answered ${answer.status} ${text.slice(0, 300)}`);
  }
  return result.structuredContent;
}

/** Orders an image until it is there: repeats what broke with the same key, confirms a price, and waits for a task by its id. */
async function order(
  scene: Scene,
  agent: Agent,
  number: number,
  args: Readonly<Record<string, unknown>>,
): Promise<void> {
  let next = { name: 'generate_image', args };
  for (let call = 0; call < MAX_CALLS; call += 1) {
    const value = await callTool(scene, agent, number + call, next);
    if (value?.status === 'completed') {
      return;
    }
    if (value?.status === 'confirmation_required') {
      next = { name: 'generate_image', args: { ...args, confirm_cost: value.quote?.cost } };
    } else if (value !== null) {
      scene.must(value.status === 'pending', `the task is ${value.status}`);
      agent.pending += 1;
      next = { name: 'get_task', args: { task_id: value.id } };
    } else {
      await scene.sleep(PAUSE_MS);
    }
  }
  scene.must(false, 'an image never came');
}

/** Agents that call the tools of `/mcp`. */
export const mcpScenarios: readonly Scenario[] = [
  {
    name: 'mcp-killed',
    fault:
      'an API dies by kill -9 while agents order images by MCP, short ones, long ones and such whose price is asked for',
    outcome:
      'no call takes 60 s, every agent gets its image, a price is confirmed first, and each order is one task and one capture',
    run: async (scene) => {
      const { apiKey, id } = await createTestAccount(scene.lab.services.database);
      const agent: Agent = { apiKey, longestMs: 0, broken: 0, pending: 0 };
      const key = (kind: string, n: number) => ({ idempotency_key: `${kind}-${n}` });
      const list = (count: number, make: (n: number) => Readonly<Record<string, unknown>>) =>
        Array.from({ length: count }, (_, n) => order(scene, agent, n, make(n)));
      const killing = killDuring(scene, ['api-1'], KILLS, KILL_EVERY_MS);
      await Promise.all([
        ...list(LONG_CALLS, (n) => ({
          prompt: `sandbox:fixed sandbox:delay=${LONG_DELAY_MS}`,
          ...key('long', n),
        })),
        ...list(SHORT_CALLS, (n) => ({
          prompt: `sandbox:fixed sandbox:delay=${scene.random.int(500, 12_000)}`,
          ...key('short', n),
        })),
        ...list(DEAR_CALLS, (n) => ({
          prompt: 'sandbox:fixed sandbox:delay=3000',
          confirm_above: '0.005',
          ...key('dear', n),
        })),
      ]);
      await killing;
      const orders = LONG_CALLS + SHORT_CALLS + DEAR_CALLS;
      const { tasks, images } = await readSums(scene, id);
      const { rows } = await scene.lab.services.database.pool.query<{ captures: number }>(
        'SELECT count(*)::int AS captures FROM usage_records WHERE account_id = $1',
        [id],
      );
      scene.figure('longest call ms', agent.longestMs);
      scene.figure('calls that broke', agent.broken);
      scene.figure('calls answered with a pending task', agent.pending);
      scene.must(agent.longestMs < CLIENT_TIMEOUT_MS, `a call took ${Math.round(agent.longestMs)} ms`);
      scene.must(agent.broken > 0, 'no kill met a call');
      scene.must(agent.pending > 0, 'no call was answered before its task had ended');
      scene.must(
        [tasks, images, rows[0]?.captures].every((count) => count === orders),
        `${orders} orders made ${tasks} tasks, ${images} images and ${rows[0]?.captures} captures`,
      );
    },
  },
];
