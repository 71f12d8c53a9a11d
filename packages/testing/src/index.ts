export { askRedis } from './ask-redis.js';
export { ATTACK_KINDS, type AttackKind, type AttackPlan } from './attacks/attack-kinds.js';
export { measureTurns, TURN_METER_ARGS, type Turns } from './attacks/measure-turns.js';
export { type RunningAttack, startAttack } from './attacks/start-attack.js';
export { buildPng, inflatingChunk, type PngShape, pngChunk } from './build-png.js';
export { checkInvariants, type InvariantScope } from './check-invariants.js';
export { type Certificates, canCreateCertificates, createCertificates } from './create-certificates.js';
export { createTestDatabase, type TestDatabase } from './create-test-database.js';
export { createTestRedis, type TestRedis } from './create-test-redis.js';
export { type EventuallyOptions, eventually } from './eventually.js';
export { findRedisServer } from './find-redis-server.js';
export { freePort } from './free-port.js';
export { killProcess } from './kill-process.js';
export { type Listening, listen } from './listen.js';
export { findRelease, listReleases } from './release-history.js';
export { repositoryRoot } from './repository-root.js';
export { applyCatalog } from './rows/apply-catalog.js';
export { type AcceptLimits, createAcceptDeps } from './rows/create-accept-deps.js';
export { createTestAccount, type TestAccount } from './rows/create-test-account.js';
export { createTestTask, type TestTaskOptions } from './rows/create-test-task.js';
export { readEvents, takeEvents } from './rows/read-events.js';
export { reportWorker } from './rows/report-worker.js';
export { type Litellm, startLitellm } from './start-litellm.js';
export { findPgBouncer, type PgBouncer, startPgBouncer } from './start-pgbouncer.js';
export { killPrograms, type Program, startProgram } from './start-program.js';
export {
  type ReceivedRequest,
  type Receiver,
  type Responder,
  startReceiver,
} from './start-receiver.js';
export { type RedisCluster, startRedisCluster } from './start-redis-cluster.js';
export { type Relay, startRelay } from './start-relay.js';
export { type SentinelGroup, startSentinelGroup } from './start-sentinel-group.js';
export { startService } from './start-service.js';
export { type TestBucket, testBucket } from './test-bucket.js';
export { type TestServices, testServices } from './test-services.js';
