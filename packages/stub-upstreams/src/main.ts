import { Command } from '@commander-js/extra-typings';
import { STUB_MODES } from './core/behaviour.js';
import { type StubUpstreams, startStubUpstreams } from './start-stub-upstreams.js';

const { port, ...options } = new Command('npm run stub-upstreams --')
  .description('Serves the protocols of the providers on this machine.')
  .option('--port <port>', 'port to listen on', '8090')
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--full-size', 'sends images of real size', false)
  .option('--only-openai', 'serves the protocol of OpenAI only', false)
  .parse()
  .opts();
const stub = await startStubUpstreams({ port: Number(port), ...options });
process.stdout.write(describeStub(stub));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void stub.close());
}

/** Describes the stub to a developer who starts it by hand: settings for the gateway, and how to inject faults. */
function describeStub({ url, keys, environment }: StubUpstreams): string {
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return `Stub upstreams: Gemini, fal, Replicate, OpenRouter, OpenAI, ComfyUI and task APIs (/task/apimart/v1, /task/evolink/v1,
/task/kie/api/v1, /task/sub2api/v1, /task/gateway/v1) at ${url}

Start the gateway against them (leave out the lines of providers that you don't want):

  ${settings.join(' \\\n  ')} \\
  npm start

Ask one of them yourself:

  curl -s ${url}/v1/images/generations -H 'Authorization: Bearer ${keys.openai[0] ?? ''}' \\
    -H 'Content-Type: application/json' -d '{"model":"gpt-image-2","prompt":"a red fox","size":"1536x864"}'

Make trouble, see what was called, and be good again:

  curl -s -X PUT ${url}/__stub/behaviour -d '{"gemini":{"mode":"overload"}}'
  curl -s -X PUT ${url}/__stub/behaviour -d '{"fal":[{"mode":"ok","jobMs":8000}],"openai":{"mode":"hang","times":2}}'
  curl -s -X PUT ${url}/__stub/behaviour -d '{"seed":7,"gemini":[{"mode":"overload","percent":20},{"mode":"no-image","percent":5}]}'
  curl -s -X PUT ${url}/__stub/behaviour -d '{"replicate":{"mode":"billing","keys":["${keys.replicate[0] ?? ''}"]}}'
  curl -s '${url}/__stub/calls?provider=gemini&kind=submit'
  curl -s -X DELETE ${url}/__stub/behaviour
  curl -s -X DELETE ${url}/__stub/calls

Modes: ${STUB_MODES.join(', ')}.
Beside a mode: on (submit, poll, result, download, cancel, check), keys, models, prompt, times, percent, latencyMs, jobMs,
retryAfterS, images, fullSize.

Ctrl-C ends the stub; the gateway then finds nobody.
`;
}
