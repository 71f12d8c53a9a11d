export type { Behaviour, CallKind, StubMode, StubProvider } from './core/behaviour.js';
export type { CallFilter, CallRecord } from './core/create-call-log.js';
export { type StubOptions, type StubUpstreams, startStubUpstreams } from './start-stub-upstreams.js';
export { listServiceAccountKeys } from './vertex/service-accounts.js';
export { FEDERATED } from './vertex/vertex-protocol.js';
