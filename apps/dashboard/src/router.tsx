import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Root } from './layout/root.js';
import { readGallerySearch } from './pages/gallery/gallery-search.js';
import { Home } from './pages/home.js';
import { NotFound } from './pages/not-found.js';
import { readPlaygroundSearch } from './pages/playground/playground-search.js';
import { readTaskSearch } from './pages/tasks/task-search.js';
import { ErrorNotice } from './ui/states/error-notice.js';
import { Loading } from './ui/states/loading.js';

const root = createRootRoute({ component: Root, notFoundComponent: NotFound });
const at = <const P extends string>(path: P, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component });

const routeTree = root.addChildren([
  createRoute({ getParentRoute: () => root, path: '/', component: Home }),
  createRoute({
    getParentRoute: () => root,
    path: '/tasks',
    validateSearch: readTaskSearch,
    component: lazyRouteComponent(() => import('./pages/tasks/tasks.js'), 'Tasks'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/gallery',
    validateSearch: readGallerySearch,
    component: lazyRouteComponent(() => import('./pages/gallery/gallery.js'), 'Gallery'),
  }),
  at(
    '/sign-up',
    lazyRouteComponent(() => import('./pages/back-home.js'), 'BackHome'),
  ),
  at(
    '/forgot',
    lazyRouteComponent(() => import('./pages/back-home.js'), 'BackHome'),
  ),
  at(
    '/reset',
    lazyRouteComponent(() => import('./pages/back-home.js'), 'BackHome'),
  ),
  at(
    '/confirm',
    lazyRouteComponent(() => import('./pages/back-home.js'), 'BackHome'),
  ),
  at(
    '/tasks/$id',
    lazyRouteComponent(() => import('./pages/tasks/task.js'), 'Task'),
  ),
  at(
    '/keys',
    lazyRouteComponent(() => import('./pages/keys/keys.js'), 'Keys'),
  ),
  createRoute({
    getParentRoute: () => root,
    path: '/playground',
    validateSearch: readPlaygroundSearch,
    component: lazyRouteComponent(() => import('./pages/playground/playground.js'), 'Playground'),
  }),
  at(
    '/usage',
    lazyRouteComponent(() => import('./pages/usage/usage.js'), 'Usage'),
  ),
  at(
    '/webhooks',
    lazyRouteComponent(() => import('./pages/webhooks/webhooks.js'), 'Webhooks'),
  ),
  at(
    '/operator/status',
    lazyRouteComponent(() => import('./pages/operator/status/status.js'), 'Status'),
  ),
  at(
    '/operator/accounts',
    lazyRouteComponent(() => import('./pages/operator/accounts/accounts.js'), 'Accounts'),
  ),
  at(
    '/operator/accounts/$id',
    lazyRouteComponent(() => import('./pages/operator/accounts/account.js'), 'Account'),
  ),
  at(
    '/operator/tasks',
    lazyRouteComponent(() => import('./pages/operator/tasks/open-tasks.js'), 'OpenTasks'),
  ),
  at(
    '/operator/tasks/$id',
    lazyRouteComponent(() => import('./pages/operator/tasks/operator-task.js'), 'OperatorTask'),
  ),
  at(
    '/operator/models',
    lazyRouteComponent(() => import('./pages/operator/models/models.js'), 'Models'),
  ),
  at(
    '/operator/providers',
    lazyRouteComponent(() => import('./pages/operator/providers/providers.js'), 'Providers'),
  ),
  at(
    '/operator/queues',
    lazyRouteComponent(() => import('./pages/operator/queues/queues.js'), 'Queues'),
  ),
  at(
    '/operator/events',
    lazyRouteComponent(() => import('./pages/operator/events/events.js'), 'Events'),
  ),
  at(
    '/operator/ledger',
    lazyRouteComponent(() => import('./pages/operator/system/ledger.js'), 'Ledger'),
  ),
  at(
    '/operator/audit',
    lazyRouteComponent(() => import('./pages/operator/system/audit.js'), 'Audit'),
  ),
  at(
    '/settings',
    lazyRouteComponent(() => import('./pages/settings/settings.js'), 'Settings'),
  ),
]);

/** Routes of the dashboard; pages are loaded on demand. */
export const router = createRouter({
  routeTree,
  basepath: '/dashboard',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: () => <Loading rows={6} />,
  defaultErrorComponent: ({ error, reset }) => <ErrorNotice error={error} onRetry={reset} />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
