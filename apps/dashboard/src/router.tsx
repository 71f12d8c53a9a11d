import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
} from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ApiError, describeLoss } from './api/request.js';
import { useSession } from './api/use-api.js';
import { Root } from './layout/root.js';
import {
  readFindSearch,
  readGallerySearch,
  readModelsSearch,
  readPageSearch,
  readPlaygroundSearch,
  readTaskLogSearch,
  readTaskSearch,
} from './lib/search.js';
import { NotFound } from './pages/not-found.js';
import { Page } from './ui/page.js';
import { ErrorNotice, Loading } from './ui/states.js';

const Overview = lazy(() =>
  import('./pages/overview/overview.js').then(({ Overview }) => ({ default: Overview })),
);
const System = lazy(() =>
  import('./pages/operator/system/system.js').then(({ System }) => ({ default: System })),
);

/** The first page of each role. */
function Home() {
  const role = useSession().data?.user?.role;
  return <Suspense fallback={<Loading />}>{role === 'operator' ? <System /> : <Overview />}</Suspense>;
}

type PageComponent = ReturnType<typeof lazyRouteComponent>;

/** Page that is loaded on demand. Without a network it says so; the router would reload, and the browser would show nothing of it. */
const lazyPage = <const K extends string>(
  load: () => Promise<Readonly<Record<K, () => React.ReactNode>>>,
  name: K,
) =>
  lazyRouteComponent(
    () =>
      load().catch((cause: unknown) => {
        throw navigator.onLine ? cause : new ApiError('NETWORK', describeLoss(cause), 0);
      }),
    name,
  ) as PageComponent;

const root = createRootRoute({ component: Root, notFoundComponent: NotFound });
const of = { getParentRoute: () => root, notFoundComponent: NotFound };
/** Route of a page. */
const at = <const P extends string, K extends string>(
  path: P,
  load: () => Promise<Readonly<Record<K, () => React.ReactNode>>>,
  name: K,
) => createRoute({ ...of, path, component: lazyPage(load, name) });
/** Address without a session, which leads to the first page with one. */
const away = <const P extends string>(path: P) =>
  createRoute({ ...of, path, component: () => <Navigate to="/" replace /> });

const routeTree = root.addChildren([
  createRoute({ ...of, path: '/', component: Home }),
  away('/sign-up'),
  away('/forgot'),
  away('/reset'),
  away('/confirm'),
  away('/email'),
  createRoute({
    ...of,
    path: '/tasks',
    validateSearch: readTaskSearch,
    component: lazyPage(() => import('./pages/tasks/tasks.js'), 'Tasks'),
  }),
  createRoute({
    ...of,
    path: '/gallery',
    validateSearch: readGallerySearch,
    component: lazyPage(() => import('./pages/gallery/gallery.js'), 'Gallery'),
  }),
  createRoute({
    ...of,
    path: '/files',
    validateSearch: readPageSearch,
    component: lazyPage(() => import('./pages/files/files.js'), 'Files'),
  }),
  createRoute({
    ...of,
    path: '/playground',
    validateSearch: readPlaygroundSearch,
    component: lazyPage(() => import('./pages/playground/playground.js'), 'Playground'),
  }),
  createRoute({
    ...of,
    path: '/models',
    validateSearch: readModelsSearch,
    component: lazyPage(() => import('./pages/models/offered-models.js'), 'OfferedModels'),
  }),
  at('/tasks/$id', () => import('./pages/tasks/task.js'), 'Task'),
  at('/keys', () => import('./pages/keys/keys.js'), 'Keys'),
  at('/billing', () => import('./pages/billing/billing.js'), 'Billing'),
  at('/usage', () => import('./pages/usage/usage.js'), 'Usage'),
  at('/webhooks', () => import('./pages/webhooks/webhooks.js'), 'Webhooks'),
  at('/operator/status', () => import('./pages/operator/status/status.js'), 'Status'),
  at('/operator/accounts', () => import('./pages/operator/accounts/accounts.js'), 'Accounts'),
  at('/operator/accounts/$id', () => import('./pages/operator/accounts/account.js'), 'Account'),
  at('/operator/operators', () => import('./pages/operator/operators/operators.js'), 'Operators'),
  createRoute({
    ...of,
    path: '/operator/tasks',
    validateSearch: readTaskLogSearch,
    component: lazyPage(() => import('./pages/operator/tasks/operator-tasks.js'), 'OperatorTasks'),
  }),
  createRoute({
    ...of,
    path: '/operator/search',
    validateSearch: readFindSearch,
    component: lazyPage(() => import('./pages/operator/system/find.js'), 'Find'),
  }),
  at('/operator/tasks/$id', () => import('./pages/operator/tasks/operator-task.js'), 'OperatorTask'),
  at('/operator/models', () => import('./pages/operator/models/models.js'), 'Models'),
  at('/operator/models/$id', () => import('./pages/operator/models/model.js'), 'Model'),
  at('/operator/providers', () => import('./pages/operator/providers/providers.js'), 'Providers'),
  at('/operator/queues', () => import('./pages/operator/queues/queues.js'), 'Queues'),
  at('/operator/events', () => import('./pages/webhooks/endpoints.js'), 'Events'),
  at('/operator/ledger', () => import('./pages/operator/system/ledger.js'), 'Ledger'),
  at('/operator/audit', () => import('./pages/operator/system/audit.js'), 'Audit'),
  at('/operator/settings', () => import('./pages/operator/settings/gateway-settings.js'), 'GatewaySettings'),
  at('/settings', () => import('./pages/settings/settings.js'), 'Settings'),
]);

/** Routes of the dashboard. */
export const router = createRouter({
  routeTree,
  basepath: '/dashboard',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: () => <Loading rows={6} />,
  defaultErrorComponent: ({ error, reset }) => (
    <Page title="Page not loaded">
      <ErrorNotice error={error} onRetry={() => (navigator.onLine ? location.reload() : reset())} />
    </Page>
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
