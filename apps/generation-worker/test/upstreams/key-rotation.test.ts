import { randomBytes } from 'node:crypto';
import { sealKeys } from '@image-gateway/shared/upstreams';
import { applyCatalog, eventually } from '@image-gateway/testing';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { buildTaskDocument, TASK_KEYS } from '../support/build-documents.js';
import { useUpstreams } from '../support/describe-upstream.js';

const upstreams = useUpstreams();
const encryptionKey = randomBytes(32);
const JOB_MS = 4_000;

/** Stored keys stand alone: the environment has none. */
const NO_KEYS = {
  FAL_API_KEY: '',
  [TASK_KEYS]: '',
  ENCRYPTION_KEY: encryptionKey.toString('base64'),
};
type Name = 'fal' | 'task';

beforeEach(async () => {
  await upstreams.world().sql('DELETE FROM provider_keys');
  await upstreams.world().sql('DELETE FROM ending_provider_keys');
});

const store = async (name: Name, text: string): Promise<void> => {
  const hostPort = new URL(upstreams.stub().url).host;
  const { encryptionKeyId, nonce, sealed } = sealKeys(
    [encryptionKey],
    { name, protocol: name, hostPort },
    text,
  );
  await upstreams.world().sql(
    `INSERT INTO provider_keys (name, protocol, host_port, encryption_key_id, nonce, sealed, last_four, tested, created_by)
     VALUES ($1, $1, $2, $3, $4, $5, '', true, 'test')`,
    [name, hostPort, encryptionKeyId, nonce, sealed],
  );
};
/** As the commands that replace and remove keys do. */
const end = (name: Name) =>
  upstreams.world().sql(
    `WITH gone AS (DELETE FROM provider_keys WHERE name = $1 RETURNING *)
     INSERT INTO ending_provider_keys (name, nonce, protocol, host_port, encryption_key_id, sealed, last_four)
     SELECT name, nonce, protocol, host_port, encryption_key_id, sealed, last_four FROM gone`,
    [name],
  );

describe('a job whose key ends while it runs', () => {
  // A built-in provider, and an instance of a document.
  test.each([
    ['fal', 'replaced'],
    ['fal', 'removed'],
    ['task', 'replaced'],
  ] as const)(
    'a job of %s whose key is %s while it runs is delivered, and bought once',
    async (name, what) => {
      const world = upstreams.world();
      const stub = upstreams.stub();
      if (name === 'task') {
        upstreams.setCatalog(await applyCatalog(world.test, buildTaskDocument(stub.url, 'sub2api')));
      }
      const [first = '', second = ''] = stub.keys[name];
      await store(name, first);
      stub.behave(name, { mode: 'ok', jobMs: JOB_MS });
      upstreams.start([name], NO_KEYS);
      const id = await upstreams.submit();
      await eventually(async () => expect(await world.calls(id)).toMatchObject([{ state: 'submitted' }]));
      await end(name);
      if (what === 'replaced') {
        await store(name, second);
      }
      expect(await world.ended(id)).toMatchObject({ status: 'completed', call_count: 1 });
      expect(stub.calls({ provider: name, kind: 'submit' }).map(({ key }) => key)).toEqual([first]);
      await world.sql("UPDATE ending_provider_keys SET ended_at = now() - interval '11 seconds'");
      await eventually(async () =>
        expect(await world.sql('SELECT name FROM ending_provider_keys')).toEqual([]),
      );
    },
  );
});
