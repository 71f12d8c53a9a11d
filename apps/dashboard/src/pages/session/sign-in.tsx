import type { DashboardSession } from '@image-gateway/shared/user/schema';
import { Link } from '@tanstack/react-router';
import { PlainPage } from '../../layout/plain-page.js';
import { CredentialsForm } from './credentials-form.js';

/** Sign-in form, shown at every address without a session. */
export function SignIn({ session }: { readonly session: DashboardSession }) {
  return (
    <PlainPage title="Log in" lead="Keys, images and money of your account.">
      <CredentialsForm />
      <p className="text-pretty text-muted text-sm">
        {session.allow_signup && (
          <>
            No account yet?{' '}
            <Link to="/sign-up" className="font-medium text-ink underline underline-offset-4">
              Sign up
            </Link>
            {'. '}
          </>
        )}
        {session.sends_mail ? (
          <Link to="/forgot" className="font-medium text-ink underline underline-offset-4">
            Forgot your password?
          </Link>
        ) : (
          'Forgot your password? The operator of this gateway can give you a new one.'
        )}
        {session.support_url !== null && (
          <>
            {' '}
            <a href={session.support_url} className="font-medium text-ink underline underline-offset-4">
              Contact the operator
            </a>
          </>
        )}
      </p>
    </PlainPage>
  );
}
