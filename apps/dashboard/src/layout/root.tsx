import type { DashboardSession } from '@image-gateway/shared/user/schema';
import { useLocation } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense } from 'react';
import { useSession } from '../api/use-api.js';
import { useOnline } from '../lib/use-online.js';
import { ConfirmEmail, ConfirmSignUp, Forgot, Reset } from '../pages/session/mailed-links.js';
import { SignIn, SignUp } from '../pages/session/sign-in.js';
import { ErrorNotice, Loading } from '../ui/states.js';
import { Brand } from './brand.js';
import { PlainPage } from './plain-page.js';

// It is loaded while the session is: most browsers have one.
const shell = import('./shell.js').then(({ Shell }) => ({ default: Shell }));
const Shell = lazy(() => shell);

/** Pages of a browser without a session; every other address shows the sign-in form. */
const STRANGERS: Readonly<Record<string, ComponentType<{ readonly session: DashboardSession }>>> = {
  '/sign-up': SignUp,
  '/forgot': Forgot,
  '/reset': Reset,
  '/confirm': ConfirmSignUp,
  '/email': ConfirmEmail,
};

/** Chooses the page by the session: without one, every address shows the sign-in form. */
export function Root() {
  const { data: session, error, refetch } = useSession();
  const { pathname } = useLocation();
  const isOnline = useOnline();
  if (!session) {
    return error ? (
      <PlainPage title={isOnline ? 'Gateway unreachable' : 'You are offline'}>
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      </PlainPage>
    ) : (
      <LoadingScreen />
    );
  }
  // The link of a new address may be opened where its user is logged in.
  if (!session.user || pathname === '/email') {
    const Page = STRANGERS[pathname] ?? SignIn;
    return <Page session={session} />;
  }
  return (
    <Suspense fallback={<LoadingScreen />}>
      <Shell session={session} user={session.user} />
    </Suspense>
  );
}

/** Frame of `index.html`, so that nothing jumps when the first script is there. Its letters need no file. */
function LoadingScreen() {
  return (
    <>
      <div className="px-4 pt-3 font-[system-ui] lg:px-6 lg:pt-6">
        <Brand />
      </div>
      <div className="mx-auto max-w-sm px-4 pt-32">
        <Loading />
      </div>
    </>
  );
}
