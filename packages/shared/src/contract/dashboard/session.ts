/** What somebody who has a log-in may do: own one account, or operate the gateway. */
export type DashboardRole = 'owner' | 'operator';

/** Who is looking at the dashboard. */
export interface DashboardUser {
  readonly id: string;
  readonly email: string;
  readonly role: DashboardRole;
}

/** `GET /dashboard/api/session`: who is logged in, if anybody is, and what the pages need to know of this gateway. */
export interface DashboardSession {
  readonly user: DashboardUser | null;
  /** The owner's account; null for operators and for nobody. */
  readonly account: { readonly id: string; readonly status: 'active' | 'suspended' } | null;
  /** Whether visitors may make an account. */
  readonly allow_signup: boolean;
  /** What clients put before `/v1`. */
  readonly base_url: string;
  /** What result URLs begin with. */
  readonly file_url: string;
}

/** One place where the viewer is logged in. */
export interface SessionItem {
  readonly id: string;
  readonly is_current: boolean;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  readonly created_at: string;
  readonly expires_at: string;
}
