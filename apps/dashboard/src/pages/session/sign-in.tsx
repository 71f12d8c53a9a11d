import type { DashboardSession } from '@image-gateway/shared/user/schema';
import { Link, Navigate } from '@tanstack/react-router';
import { PlainPage } from '../../layout/plain-page.js';
import { formatMoney } from '../../lib/figures.js';
import { SupportLink } from '../../ui/links.js';
import { CredentialsForm } from './credentials-form.js';

interface Props {
  readonly session: DashboardSession;
}

/** Sign-in form, shown at every address without a session. */
export function SignIn({ session }: Props) {
  return (
    <PlainPage title="Log in" lead="Keys, images and money of your account.">
      <CredentialsForm />
      <p className="text-pretty text-muted text-sm">
        {session.allow_signup && (
          <>
            No account yet? <SessionLink to="/sign-up">Sign up</SessionLink>
            {'. '}
          </>
        )}
        {session.sends_mail ? (
          <SessionLink to="/forgot">Forgot your password?</SessionLink>
        ) : (
          'Forgot your password? The operator of this gateway can give you a new one.'
        )}{' '}
        {session.support_url !== null && <SupportLink url={session.support_url} className="text-ink" />}
      </p>
    </PlainPage>
  );
}

/** Page that creates an account, where the gateway allows it. */
export function SignUp({ session: { allow_signup, signup_credit, sends_mail } }: Props) {
  if (!allow_signup) {
    return <Navigate to="/" />;
  }
  const lead =
    signup_credit === null
      ? 'An account of your own. It starts without money: the operator of this gateway adds credit, and you can ask for it.'
      : `An account of your own. It starts with ${formatMoney(signup_credit)}, while the credits of the day last.`;
  return (
    <PlainPage title="Sign up" lead={lead}>
      <CredentialsForm signsUp confirms={sends_mail} />
      <p className="text-muted text-sm">
        You have an account? <SessionLink to="/">Log in</SessionLink>
      </p>
    </PlainPage>
  );
}

/** Link to another page of those without a session. */
export function SessionLink({
  to,
  children,
}: Readonly<{ to: '/' | '/sign-up' | '/forgot'; children: string }>) {
  return (
    <Link to={to} className="font-medium text-ink underline underline-offset-4">
      {children}
    </Link>
  );
}
