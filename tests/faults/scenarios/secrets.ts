import { callHttp } from '../load/http-client.js';
import type { Scenario } from './scenario.js';

/** Texts that are planted in requests and must be found nowhere afterwards. */
export const PLANTED = {
  token: 'gw_live_plantedplantedplantedplanted000000',
  url: 'planted-signature-of-a-url',
  prompt: 'planted-words-of-a-prompt',
  cookie: 'planted-session-of-a-cookie',
  body: 'planted-field-of-a-body',
} as const;

/** Secrets in every part of a request that may carry one. */
export const secretScenarios: readonly Scenario[] = [
  {
    name: 'secrets-planted',
    fault: 'secrets in headers, cookies, bodies, prompts and the queries of URLs, also of requests that fail',
    outcome: 'found in no log line, no answer to others, not in Redis, in no webhook',
    run: async (scene) => {
      const { apiUrls } = scene.lab.fleet;
      const prompt = `sandbox:fixed ${PLANTED.prompt}`;
      for (const end of ['', ' sandbox:fail=moderation', ' sandbox:fail=upstream']) {
        await scene.submitOne({
          prompt: prompt + end,
          webhook_url: `${scene.lab.receiver.url('ok', `secrets-${scene.customer.id}${end.length}`)}?sig=${PLANTED.url}`,
        });
      }
      await scene.submitOne({
        prompt,
        image_urls: [
          `http://192.0.2.1:9/a.png?sig=${PLANTED.url}`,
          `http://localhost:9/b.png?sig=${PLANTED.url}`,
        ],
      });
      const call = (path: string, method: string, headers: Record<string, string>, body: string) =>
        callHttp({ url: `${apiUrls[0]}${path}`, method, headers, body });
      const json = { 'content-type': 'application/json' };
      const own = { ...json, authorization: `Bearer ${scene.customer.apiKey}` };
      for (const [headers, body] of [
        [{ ...json, authorization: `Bearer ${PLANTED.token}` }, '{}'],
        [{ ...json, authorization: `Basic ${PLANTED.token}`, cookie: `sid=${PLANTED.cookie}` }, '{}'],
        [{ ...own, cookie: `sid=${PLANTED.cookie}` }, `{"model":"${PLANTED.body}"}`],
        [own, `{"prompt": "${PLANTED.body}`],
        [
          { ...own, 'x-api-key': PLANTED.token },
          `{"model":"nanobanana","prompt":1,"password":"${PLANTED.body}"}`,
        ],
      ] as const) {
        const answer = await call('/v1/generate', 'POST', headers, body);
        scene.injected();
        scene.must(answer.status < 500, `answered ${answer.status}`);
        const said = `${JSON.stringify(answer.headers)}${answer.body}`;
        const leaks = [PLANTED.token, PLANTED.cookie].filter((one) => said.includes(one));
        scene.must(leaks.length === 0, `an answer repeats ${leaks.join()}`);
      }
    },
    mayRefuse: [400],
  },
];
