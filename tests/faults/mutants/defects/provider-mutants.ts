import type { Mutant } from '../mutant.js';

const worker = 'apps/generation-worker/src';
const plan = `${worker}/routing/plan-calls.test.ts`;
const circuit = `${worker}/routing/create-route-circuit.test.ts`;
const pause = `${worker}/routing/create-pause.test.ts`;
const fal = 'apps/generation-worker/test/providers/fal.test.ts';
const codes = 'apps/generation-worker/test/providers/vendor-codes.test.ts';
const comfyui = 'apps/generation-worker/test/providers/comfyui.test.ts';

/** Defects in how upstream providers are called and understood. */
export const providerMutants: readonly Mutant[] = [
  {
    name: 'code-of-moderation-unread',
    defect: 'a row of the classifier is missing: codes by which a vendor refuses content',
    edits: [
      {
        file: `${worker}/providers/openai/to-provider-error.ts`,
        find: "  { field: 'code', pattern: /^130[01]$/, failure: 'moderation' },\n",
        replace: '',
      },
    ],
    hunters: [codes],
  },
  {
    name: 'code-of-money-unread',
    defect: 'a row of the classifier is missing: codes of an account without money',
    edits: [
      {
        file: `${worker}/providers/openai/to-provider-error.ts`,
        find: "  { field: 'code', pattern: /^(1110|1112|1113|1121|1309)$/, failure: 'billing' },\n",
        replace: '',
      },
    ],
    hunters: [codes],
  },
  {
    name: 'workflow-never-looked-for',
    defect: 'a workflow whose answer to the submission was lost is not looked for',
    edits: [
      {
        file: `${worker}/providers/comfyui/create-comfyui.ts`,
        find: "error instanceof ProviderError && error.failure === 'unknown';",
        replace: "error instanceof ProviderError && error.failure === 'canceled';",
      },
    ],
    hunters: ['apps/generation-worker/test/providers/queue-stub.test.ts'],
  },
  {
    name: 'ending-key-keeps-encryption',
    defect: 'keys that are kept for running jobs are not encrypted with the first ENCRYPTION_KEY',
    edits: [
      {
        file: `${worker}/routing/follow-stored-keys.ts`,
        find: "...ending.map((row) => renew('ending', row)),",
        replace: "...ending.slice(ending.length).map((row) => renew('ending', row)),",
      },
    ],
    hunters: ['apps/generation-worker/test/stored-keys.test.ts'],
  },
  {
    name: 'fal-keeps-requests',
    defect: 'fal keeps the prompts and input images of its requests',
    edits: [
      {
        file: `${worker}/providers/fal/create-fal.ts`,
        find: "'x-fal-store-io': '0'",
        replace: "'x-fal-store-io': '1'",
      },
    ],
    hunters: [fal],
  },
  {
    name: 'fal-images-gone-early',
    defect: 'fal removes images before the deadline of their task',
    edits: [
      {
        file: `${worker}/providers/fal/create-fal.ts`,
        find: 'Math.max(0, neededMs) + MARGIN_MS',
        replace: 'Math.min(0, neededMs) + MARGIN_MS',
      },
    ],
    hunters: [fal],
  },
  {
    name: 'results-needed-once',
    defect: 'a vendor is told that results are needed for half of the time that the task has left',
    edits: [
      {
        file: `${worker}/calls/run-call.ts`,
        find: 'neededMs: task.deadlineInMs,',
        replace: 'neededMs: task.deadlineInMs / 2,',
      },
    ],
    hunters: ['apps/generation-worker/test/jobs.test.ts'],
  },
  {
    name: 'one-account-opens-the-route',
    defect: 'failures that the prompts of one account cause open the circuit for all accounts',
    edits: [
      {
        file: `${worker}/routing/create-route-circuit.ts`,
        find: "unreachable = outcome === 'unreachable' ? unreachable + 1 : 0;",
        replace: 'unreachable += 1;',
      },
    ],
    hunters: [circuit],
  },
  {
    name: 'dead-route-called-by-each-account',
    defect: 'a dead route is called by every account, for as long as it is dead',
    edits: [
      {
        file: `${worker}/routing/create-route-circuit.ts`,
        find: '(getSuspectMs() ?? 1) <= 0 &&',
        replace: '(getSuspectMs() ?? 1) <= -1e12 &&',
      },
    ],
    hunters: [circuit],
  },
  {
    name: 'trial-call-out-of-turn',
    defect: 'the trial call of a route goes to the account that asks first',
    edits: [
      {
        file: `${worker}/routing/create-route-circuit.ts`,
        find: "state === 'open' && !turns.isFirst(task)",
        replace: "state === 'open' && turns.countAhead(task) < 0",
      },
    ],
    hunters: [circuit],
  },
  {
    name: 'pause-as-long-as-asked',
    defect: 'an answer to one account pauses a model for all accounts as long as it says',
    edits: [
      {
        file: `${worker}/routing/create-pause.ts`,
        find: 'const MAX_MS = 60_000;',
        replace: 'const MAX_MS = 3_600_000;',
      },
    ],
    hunters: [pause],
  },
  {
    name: 'refuted-pause-of-all',
    defect: 'an account whose pause another one has refuted pauses all with its next one',
    edits: [
      {
        file: `${worker}/routing/create-pause.ts`,
        find: '    if (apart.length > 0) {',
        replace: '    if (apart.length > 9) {',
      },
    ],
    hunters: [pause],
  },
  {
    name: 'one-account-sets-keys-aside',
    defect: 'a refusal that one account alone has met puts the key last for all',
    edits: [
      {
        file: `${worker}/routing/create-health.ts`,
        find: 'accountId: isOfOne ? accountId : null',
        replace: 'accountId: isOfOne ? null : accountId',
      },
    ],
    hunters: [`${worker}/routing/create-health.test.ts`],
  },
  {
    name: 'try-without-a-call',
    defect: 'an attempt that may call nobody costs a try, as if a provider had failed',
    edits: [
      {
        file: `${worker}/routing/plan-calls.ts`,
        find: "hasFailure ||= open.some(({ eligibility }) => eligibility === 'after-failure');",
        replace:
          "hasFailure ||= pauses.size > 0 || open.some(({ eligibility }) => eligibility === 'after-failure');",
      },
    ],
    hunters: [plan],
  },
  {
    name: 'model-refusal-drops-key',
    defect: 'a model that a key may not use takes the key away from its other models',
    edits: [
      {
        file: `${worker}/routing/get-eligibility.ts`,
        find: '    access: (call) => hasKey(call) && hasModel(call),\n',
        replace: '    access: hasKey,\n',
      },
    ],
    hunters: [plan],
  },
  {
    name: 'unknown-refusal-is-drift',
    defect: 'an unknown error of the 4xx range is taken for an outdated description',
    edits: [
      {
        file: `${worker}/providers/http/error-response.ts`,
        find: "(status >= 400 ? 'upstream-error' : 'bad-response')",
        replace: "(status >= 500 ? 'upstream-error' : status >= 400 ? 'config-drift' : 'bad-response')",
      },
    ],
    hunters: [`${worker}/providers/openai/to-provider-error.test.ts`],
  },
  {
    name: 'input-tokens-are-free',
    defect: 'the tokens of input images cost nothing',
    edits: [
      {
        file: `${worker}/providers/openai/parse-response.ts`,
        find: '  const imageIn = usage.input_tokens_details.image_tokens;\n',
        replace: '  const imageIn = 0;\n',
      },
    ],
    hunters: [`${worker}/calls/compute-token-cost.test.ts`],
  },
  {
    name: 'withheld-image-is-delivered',
    defect: 'a picture that the safety checker blacked out is delivered',
    edits: [
      {
        file: `${worker}/providers/deliver-images.ts`,
        find: 'if (known) {',
        replace: "if (known && known.failure !== 'moderation') {",
      },
    ],
    hunters: [`${worker}/providers/deliver-images.test.ts`],
  },
  {
    name: 'comfyui-deletes-without-a-look',
    defect: 'a workflow that begins while it is deleted runs on',
    edits: [
      {
        file: `${worker}/providers/comfyui/create-comfyui.ts`,
        find: "        state = await find(id, key, scope);\n      }\n      if (state === 'running')",
        replace: "        state = null;\n      }\n      if (state === 'running')",
      },
    ],
    hunters: [comfyui],
  },
  {
    name: 'odd-value-refuses-response',
    defect: 'a paid response is lost when an optional number has an odd type',
    edits: [
      {
        file: 'apps/generation-worker/src/providers/http/read-shape.ts',
        find: '.min(0).default(0).failover(0)',
        replace: '.min(0).default(0)',
      },
    ],
    hunters: ['apps/generation-worker/src/providers/http/read-shape.test.ts'],
  },
  {
    name: 'dashscope-rewrites-prompts',
    defect: 'another model rewrites the prompts that go to DashScope',
    edits: [
      {
        file: `${worker}/providers/dashscope/create-dashscope.ts`,
        find: "...switchRewriting('dashscope', model, options), ",
        replace: '',
      },
    ],
    hunters: ['apps/generation-worker/test/providers/dashscope.test.ts'],
  },
  {
    name: 'former-key-is-forgotten',
    defect: 'jobs of a key that was replaced or removed are given up',
    edits: [
      {
        file: `${worker}/routing/create-catalog-router.ts`,
        find: '(call) => makers.findMaker(call)',
        replace: '(call) => (makers, providers).findMaker(call)',
      },
    ],
    hunters: ['apps/generation-worker/test/upstreams/key-rotation.test.ts'],
  },
  {
    name: 'new-job-is-given-up',
    defect: 'a job that its provider does not show yet is given up at the first poll, paid and undelivered',
    edits: [
      {
        file: `${worker}/providers/follow-job.ts`,
        find: "(progress.mayChange !== 'while-new' || !isNewHere())",
        replace: 'true',
      },
    ],
    hunters: ['apps/generation-worker/src/providers/follow-job.test.ts'],
  },
  {
    name: 'workload-token-goes-anywhere',
    defect: 'the token of a workload goes to any address that its file names',
    edits: [
      {
        file: 'packages/shared/src/domain/upstreams/vertex.ts',
        find: "parsed.hostname.endsWith('.googleapis.com')",
        replace: 'parsed !== null',
      },
    ],
    hunters: ['apps/generation-worker/test/providers/vertex.test.ts'],
  },
  {
    name: 'other-checkpoint-is-delivered',
    defect: 'images of another checkpoint than the one of the route are delivered and charged',
    edits: [
      {
        file: `${worker}/providers/sdapi/parse-response.ts`,
        find: "if (typeof checkpoint === 'string' && isOther(facts, checkpoint)) {",
        replace: 'if (false) {',
      },
    ],
    hunters: ['apps/generation-worker/test/providers/sdapi.test.ts'],
  },
  {
    name: 'own-key-costs-the-fee-only',
    defect: 'with a key of its own at OpenRouter an image costs no more than the fee',
    edits: [
      {
        file: `${worker}/providers/openrouter/parse-response.ts`,
        find: '(readCost(details.upstream_inference_cost, MICROS) ?? 0n)',
        replace: '0n',
      },
    ],
    hunters: [`${worker}/providers/openrouter/parse-response.test.ts`],
  },
  {
    name: 'blocked-prompt-takes-access',
    defect: 'one prompt that a guardrail of OpenRouter blocks takes the model away from all others',
    edits: [
      {
        file: `${worker}/providers/openrouter/to-provider-error.ts`,
        find: 'if (errorStatus === FORBIDDEN && said) {',
        replace: 'if (false) {',
      },
    ],
    hunters: [`${worker}/providers/openrouter/to-provider-error.test.ts`],
  },
  {
    name: 'missing-endpoint-is-unknown',
    defect:
      'an edit at an endpoint that fal does not have ends as an unknown outcome instead of going on to the next route',
    edits: [
      {
        file: `${worker}/providers/fal/parse-response.ts`,
        find: 'if (status === 404 && NO_ENDPOINT.test(parseErrorDetails(response).text)) {',
        replace: 'if (false) {',
      },
    ],
    hunters: [`${worker}/providers/fal/parse-response.test.ts`],
  },
  {
    name: 'stated-cost-believed',
    defect: 'a cost that a provider states is booked, however high it is',
    edits: [
      {
        file: 'apps/generation-worker/src/calls/accept-cost.ts',
        find: 'if (statedMicros <= maxMicros) {',
        replace: 'if (statedMicros <= maxMicros * 1_000_000_000_000n) {',
      },
    ],
    hunters: ['apps/generation-worker/test/task-answers.test.ts'],
  },
  {
    name: 'refused-url-asked-again',
    defect:
      'a result whose address is refused by its form counts as an outage, and its job is asked for until the deadline',
    edits: [
      {
        file: 'apps/generation-worker/src/providers/http/create-upstream.ts',
        find: "  'bad-url',\n",
        replace: '',
      },
    ],
    hunters: ['apps/generation-worker/test/task-answers.test.ts'],
  },
  {
    name: 'long-answer-read-on',
    defect: 'an answer with more text than can be parsed is read to the bound of images',
    edits: [
      {
        file: 'apps/generation-worker/src/providers/http/create-upstream.ts',
        find: 'if (decoder.isTooLong()) {',
        replace: 'if (decoder.isTooLong() && chunk.length === 0) {',
      },
    ],
    hunters: ['apps/generation-worker/test/task-answers.test.ts'],
  },
];
