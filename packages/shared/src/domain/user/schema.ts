import {
  boolean,
  choice,
  type Infer,
  integer,
  list,
  nullable,
  object,
  required,
  text,
} from '../schema/index.js';

/** Role of a user: owns one account, or operates the gateway. */
export const dashboardRole = choice(['owner', 'operator']);
export type DashboardRole = Infer<typeof dashboardRole>;

/** User of a session. */
export const dashboardUser = object({
  id: text(),
  email: text(),
  role: dashboardRole,
});
export type DashboardUser = Infer<typeof dashboardUser>;

/** Session of a browser, and the settings that every page needs. */
export const dashboardSession = object({
  /** Null without a session. */
  user: nullable(dashboardUser),
  /** Account of an owner; null for operators and without a session. */
  account: nullable(
    object({
      id: text(),
      status: choice(['active', 'suspended']),
      /** Reason that the operator gave; null without one, and while it is active. */
      suspension_reason: nullable(text()),
    }),
  ),
  allow_signup: boolean(),
  /** Dollars with which an account of a sign-up begins; null for none. */
  signup_credit: nullable(text()),
  /** Page or mailbox of the operator; null where none is named. */
  support_url: nullable(text()),
  /** Page where an account is topped up; null where none is named. */
  top_up_url: nullable(text()),
  /** True where forgotten passwords and sign-ups have a link by mail. */
  sends_mail: boolean(),
  /** Address before `/v1`. */
  base_url: text(),
  /** Start of result URLs. */
  file_url: text(),
  /** Models that only the sandbox draws; null where there are none, and without a session. */
  sandbox: nullable(
    object({
      models: list(text()),
      draws_all: boolean(),
    }),
  ),
});
export type DashboardSession = Infer<typeof dashboardSession>;

/** Open session of a user. */
export const sessionItem = object({
  id: text(),
  is_current: boolean(),
  ip_address: nullable(text()),
  user_agent: nullable(text()),
  created_at: text(),
  expires_at: text(),
});
export type SessionItem = Infer<typeof sessionItem>;

/** E-mail address of a form. */
export const emailField = required(254, 'Enter an e-mail address.');
/** Password of the user of the session, asked for again. */
export const ownPassword = required(1000, 'Enter your password.');
const token = required(100, 'The link is not complete.');

/** Body of a form with an e-mail address and a password; checks only that both are present. */
export const credentialsBody = object({
  email: emailField,
  password: required(1000, 'Enter a password.'),
});

/** Body that asks for the mail with which a new password is set. */
export const forgotBody = object({ email: emailField });

/** Body that confirms a sign-up. */
export const confirmBody = object({ token, password: required(1000, 'Enter the password that you chose.') });

/** Body that sets a new password by a mailed link. */
export const resetBody = object({ token, password: required(1000, 'Enter a new password.') });

/** Body that changes a password. */
export const changePasswordBody = object({
  current: required(1000, 'Enter your current password.'),
  next: required(1000, 'Enter a new password.'),
});

/** Operator in the list of operators. */
export const operatorItem = object({
  id: text(),
  email: text(),
  created_at: text(),
  /** Browsers in which they are logged in. */
  sessions: integer(),
});
export type OperatorItem = Infer<typeof operatorItem>;

/** Body that creates an operator; the password is that of the user who asks. */
export const createOperatorBody = object({ email: emailField, password: ownPassword });

/** Body that asks for another address of the own log-in. */
export const changeEmailBody = object({ email: emailField, password: ownPassword });

/** Body with the address that a user gets from an operator. */
export const userEmailBody = object({ email: emailField });

/** Body of what needs the own password once more. */
export const ownPasswordBody = object({ password: ownPassword });
