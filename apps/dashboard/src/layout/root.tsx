import type { DashboardSession } from '@image-gateway/shared/user/schema';
import { useLocation } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense } from 'react';
import { useSession } from '../api/use-api.js';
import { ConfirmSignUp, Forgot, Reset } from '../pages/session/mailed-links.js';
import { SignIn, SignUp } from '../pages/session/sign-in.js';
import { ErrorNotice, Loading } from '../ui/states.js';
import { PlainPage } from './plain-page.js';

const Shell = lazy(() => import('./shell.js').then(({ Shell }) => ({ default: Shell })));

/** Pages of a browser without a session; every other address shows the sign-in form. */
const STRANGERS: Readonly<Record<string, ComponentType<{ readonly session: DashboardSession }>>> = {
  '/sign-up': SignUp,
  '/forgot': Forgot,
  '/reset': Reset,
  '/confirm': ConfirmSignUp,
};

/** Chooses the page by the session: without one, every address shows the sign-in form. */
export function Root() {
  const { data: session, error, refetch } = useSession();
  const { pathname } = useLocation();
  if (!session) {
    return error ? (
      <PlainPage title="Gateway unreachable">
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      </PlainPage>
    ) : (
      <LoadingScreen />
    );
  }
  if (!session.user) {
    const Page = STRANGERS[pathname] ?? SignIn;
    return <Page session={session} />;
  }
  return (
    <Suspense fallback={<LoadingScreen />}>
      <Shell session={session} user={session.user} />
    </Suspense>
  );
}

function LoadingScreen() {
  return (
    <div className="mx-auto max-w-sm px-4 pt-40">
      <Loading />
    </div>
  );
}
