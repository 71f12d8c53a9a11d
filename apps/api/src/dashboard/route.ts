import type { Call, Handler } from '../http/framework/call.js';
import type { SessionUser } from '../operations/user/find-session-user.js';

/** A request of somebody who is logged in. */
export interface UserCall extends Call {
  readonly user: SessionUser;
}

/** A request of an owner of an active account. */
export interface OwnerCall extends UserCall {
  readonly accountId: string;
}

/** A line of the dashboard's API: everything that changes something is a POST. */
export type DashboardRoute = {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** Whether a JSON body is read. */
  readonly body?: 'json';
} & (
  | { readonly access: 'open'; readonly handle: Handler<Call> }
  | { readonly access: 'user' | 'operator'; readonly handle: Handler<UserCall> }
  | { readonly access: 'owner'; readonly handle: Handler<OwnerCall> }
);
