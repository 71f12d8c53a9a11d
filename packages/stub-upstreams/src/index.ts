export type { Behaviour, CallKind, StubMode, StubProvider } from './core/behaviour.js';
export type { CallFilter, CallRecord } from './core/create-call-log.js';
export { listServiceAccountKeys } from './protocols/service-accounts.js';
export { FEDERATED } from './protocols/vertex.js';
export { type StubOptions, type StubUpstreams, startStubUpstreams } from './start-stub-upstreams.js';
