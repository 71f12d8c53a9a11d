import type { DashboardApi, Envelope } from '@image-gateway/shared/contract';
import type { Call, Handler } from '../http/framework/call.js';
import type { SessionUser } from '../operations/user/find-session-user.js';

/** Request with a session. */
export interface UserCall extends Call {
  readonly user: SessionUser;
}

/** Request of the owner of an active account. */
export interface OwnerCall extends UserCall {
  readonly accountId: string;
}

type Typed<C extends Call, R extends keyof DashboardApi> = Handler<C, Envelope<DashboardApi[R]['data']>>;

/** Handler of a route that needs no session. */
export type OpenHandler<R extends keyof DashboardApi> = Typed<Call, R>;
/** Handler of a route for users and operators. */
export type UserHandler<R extends keyof DashboardApi> = Typed<UserCall, R>;
/** Handler of a route for owners. */
export type OwnerHandler<R extends keyof DashboardApi> = Typed<OwnerCall, R>;

/** Route of the dashboard. Every change is a POST. */
export type DashboardRoute = {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** Present when a JSON body is read. */
  readonly body?: 'json';
} & (
  | { readonly access: 'open'; readonly handle: Handler<Call> }
  | { readonly access: 'user' | 'operator'; readonly handle: Handler<UserCall> }
  | { readonly access: 'owner'; readonly handle: Handler<OwnerCall> }
);
