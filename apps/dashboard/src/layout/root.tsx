import { useLocation } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useSession } from '../api/use-session.js';
import { SignIn } from '../pages/session/sign-in.js';
import { SignUp } from '../pages/session/sign-up.js';
import { Suspended } from '../pages/session/suspended.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Loading } from '../ui/loading.js';
import { PlainPage } from './plain-page.js';

const Shell = lazy(() => import('./shell.js').then(({ Shell }) => ({ default: Shell })));

/** Decides who sees what: the log-in for everybody who has not logged in, wherever they came to. */
export function Root() {
  const { data: session, error, refetch } = useSession();
  const { pathname } = useLocation();
  if (!session)
    return error ? (
      <PlainPage title="No answer">
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      </PlainPage>
    ) : (
      <LoadingScreen />
    );
  if (!session.user)
    return pathname === '/sign-up' ? <SignUp session={session} /> : <SignIn session={session} />;
  if (session.account?.status === 'suspended') return <Suspended />;
  return (
    <Suspense fallback={<LoadingScreen />}>
      <Shell user={session.user} />
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
