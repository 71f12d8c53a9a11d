/** Role of a user: owns one account, or operates the gateway. */
export type DashboardRole = 'owner' | 'operator';

/** User of a session. */
export interface DashboardUser {
  readonly id: string;
  readonly email: string;
  readonly role: DashboardRole;
}

/** Session of a browser, and the settings that every page needs. */
export interface DashboardSession {
  /** Null without a session. */
  readonly user: DashboardUser | null;
  /** Account of an owner; null for operators and without a session. */
  readonly account: {
    readonly id: string;
    readonly status: 'active' | 'suspended';
    /** Reason that the operator gave; null without one, and while it is active. */
    readonly suspension_reason: string | null;
  } | null;
  readonly allow_signup: boolean;
  /** Dollars with which an account of a sign-up begins; null for none. */
  readonly signup_credit: string | null;
  /** Page or mailbox of the operator; null where none is named. */
  readonly support_url: string | null;
  /** True where forgotten passwords and sign-ups have a link by mail. */
  readonly sends_mail: boolean;
  /** Address before `/v1`. */
  readonly base_url: string;
  /** Start of result URLs. */
  readonly file_url: string;
  /** Models that only the sandbox draws; null where there are none, and without a session. */
  readonly sandbox: { readonly models: readonly string[]; readonly draws_all: boolean } | null;
}

/** Open session of a user. */
export interface SessionItem {
  readonly id: string;
  readonly is_current: boolean;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  readonly created_at: string;
  readonly expires_at: string;
}

/** Body of the sign-in and sign-up forms. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Body that sets a new password by a mailed link. */
export interface ResetPasswordBody {
  readonly token: string;
  readonly password: string;
}

/** Body that changes a password. */
export interface ChangePasswordBody {
  readonly current: string;
  readonly next: string;
}
