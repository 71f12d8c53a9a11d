import { parseArgs } from 'node:util';
import { describeStub } from './describe-stub.js';
import { startStubUpstreams } from './start-stub-upstreams.js';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8090' },
    host: { type: 'string', default: '127.0.0.1' },
    'full-size': { type: 'boolean', default: false },
    'only-openai': { type: 'boolean', default: false },
  },
});
const stub = await startStubUpstreams({
  port: Number(values.port),
  host: values.host,
  fullSize: values['full-size'],
  onlyOpenai: values['only-openai'],
});
process.stdout.write(describeStub(stub));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void stub.close());
