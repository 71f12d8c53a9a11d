import { lazy, Suspense } from 'react';
import { useSession } from '../api/use-session.js';
import { Loading } from '../ui/states/loading.js';

const Overview = lazy(() => import('./overview/overview.js').then(({ Overview }) => ({ default: Overview })));
const System = lazy(() => import('./operator/system/system.js').then(({ System }) => ({ default: System })));

/** The first page of each role. */
export function Home() {
  const role = useSession().data?.user?.role;
  return <Suspense fallback={<Loading />}>{role === 'operator' ? <System /> : <Overview />}</Suspense>;
}
