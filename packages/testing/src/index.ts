export { checkInvariants, type InvariantScope } from './check-invariants.js';
export { createTestAccount, type TestAccount } from './create-test-account.js';
export { createTestDatabase, type TestDatabase } from './create-test-database.js';
export { createTestRedis, type TestRedis } from './create-test-redis.js';
export { createTestTask, type TestTaskOptions } from './create-test-task.js';
export { type EventuallyOptions, eventually } from './eventually.js';
export { freePort } from './free-port.js';
export { repositoryRoot } from './repository-root.js';
export { killPrograms, type Program, startProgram } from './start-program.js';
export { type Answer, type ReceivedRequest, type Receiver, startReceiver } from './start-receiver.js';
export { type Relay, startRelay } from './start-relay.js';
export {
  type Behaviour,
  type CallFilter,
  type CallKind,
  type CallRecord,
  type StubMode,
  type StubOptions,
  type StubProvider,
  type StubUpstreams,
  startStubUpstreams,
} from './stub-upstreams/index.js';
export { type TestBucket, testBucket } from './test-bucket.js';
export { type TestServices, testServices } from './test-services.js';
