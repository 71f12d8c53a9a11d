import type { Call, Handler } from '../http/call.js';
import type { SessionUser } from '../operations/user/find-session-user.js';

/** A request of somebody who is logged in. */
export interface ViewerCall extends Call {
  readonly viewer: SessionUser;
}

/** A request of an owner of an active account. */
export interface OwnerCall extends ViewerCall {
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
  | { readonly access: 'viewer' | 'operator'; readonly handle: Handler<ViewerCall> }
  | { readonly access: 'owner'; readonly handle: Handler<OwnerCall> }
);
