import type { DashboardSession } from '@image-gateway/shared/contract';
import { Link } from '@tanstack/react-router';
import { Bare } from '../layout/bare.js';
import { LogInForm } from './log-in-form.js';

/** The log-in, at whatever address somebody came to. */
export function SignIn({ session }: { readonly session: DashboardSession }) {
  return (
    <Bare title="Log in" lead="Keys, pictures and money of your account.">
      <LogInForm />
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
        Forgot your password? The operator of this gateway can give you a new one.
      </p>
    </Bare>
  );
}
