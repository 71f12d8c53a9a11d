import type { DashboardSession } from '@image-gateway/shared/user/schema';
import { Link, Navigate } from '@tanstack/react-router';
import { PlainPage } from '../../layout/plain-page.js';
import { CredentialsForm } from './credentials-form.js';

/** Page that creates an account, where the gateway allows it. */
export function SignUp({ session }: { readonly session: DashboardSession }) {
  if (!session.allow_signup) {
    return <Navigate to="/" />;
  }
  return (
    <PlainPage
      title="Sign up"
      lead={
        session.signup_credit === null
          ? 'An account of your own. It starts without money: the operator of this gateway adds credit, and you can ask for it.'
          : `An account of your own. It starts with ${session.signup_credit}, while the credits of the day last.`
      }
    >
      <CredentialsForm signsUp confirms={session.sends_mail} />
      <p className="text-muted text-sm">
        You have an account?{' '}
        <Link to="/" className="font-medium text-ink underline underline-offset-4">
          Log in
        </Link>
      </p>
    </PlainPage>
  );
}
