import type { DashboardSession } from '@image-gateway/shared/user/schema';
import { useLocation } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useSession } from '../api/use-session.js';
import { ConfirmSignUp, Forgot, Reset } from '../pages/session/mailed-links.js';
import { SignIn } from '../pages/session/sign-in.js';
import { SignUp } from '../pages/session/sign-up.js';
import { ErrorNotice } from '../ui/states/error-notice.js';
import { Loading } from '../ui/states/loading.js';
import { PlainPage } from './plain-page.js';

const Shell = lazy(() => import('./shell.js').then(({ Shell }) => ({ default: Shell })));

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
    return <Stranger session={session} pathname={pathname} />;
  }
  return (
    <Suspense fallback={<LoadingScreen />}>
      <Shell
        user={session.user}
        account={session.account}
        sandbox={session.sandbox}
        supportUrl={session.support_url}
      />
    </Suspense>
  );
}

/** Page of a browser without a session. */
function Stranger({ session, pathname }: { readonly session: DashboardSession; readonly pathname: string }) {
  switch (pathname) {
    case '/sign-up':
      return <SignUp session={session} />;
    case '/forgot':
      return <Forgot />;
    case '/reset':
      return <Reset />;
    case '/confirm':
      return <ConfirmSignUp />;
    default:
      return <SignIn session={session} />;
  }
}

function LoadingScreen() {
  return (
    <div className="mx-auto max-w-sm px-4 pt-40">
      <Loading />
    </div>
  );
}
