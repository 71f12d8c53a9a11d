import { querySchemas } from '@image-gateway/shared/validation';
import { describe, expect, test } from '@jest/globals';
import { dashboardRoutes } from '../../apps/api/src/dashboard-routes.js';
import { DASHBOARD_API } from '../../apps/api/src/http/define-route.js';
import { mcpRoutes } from '../../apps/api/src/mcp/routes.js';
import { facadeRoutes } from '../../apps/api/src/openai/routes.js';
import { customerRoutes, publicRoutes } from '../../apps/api/src/routes.js';
import { expectRecorded } from './clients/expect-recorded.js';

// Routes need their dependencies once they are called.
const queries = querySchemas({ models: [] });
const deps = { accept: {}, reads: {}, queries } as never;
const programs = [
  ...customerRoutes(deps),
  ...facadeRoutes(deps),
  ...mcpRoutes(deps),
  ...publicRoutes(deps, () => ({ status: 200 })),
];
const pages = dashboardRoutes(deps);

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells))].join('\n');

const document = `# Who may call what

This page is written from the routes; a test compares it.

## Programs

A key needs one of the scopes. Routes without a scope need no key.

${table(
  ['Route', 'Scopes'],
  programs.map((route) => [
    `\`${route.method.toUpperCase()} ${route.path}\``,
    route.access === 'key' ? route.scopes.join(', ') : '',
  ]),
)}

## Pages

Routes of the dashboard need a session of one of the roles. Those without a role need none.

${table(
  ['Route', 'Roles', 'What it does'],
  pages.map(({ method, path, roles, summary }) => [
    `\`${method.toUpperCase()} ${DASHBOARD_API}${path}\``,
    roles.join(', '),
    summary,
  ]),
)}
`;

describe('the table of permissions', () => {
  test('who may call each route is what docs/permissions.md says', () => {
    expectRecorded('docs/permissions.md', document);
  });

  test('every route that changes something for an account or an operator has a role or a scope', () => {
    const open = [
      ...programs.filter(({ access, method }) => access === 'open' && method !== 'get'),
      ...pages.filter(({ roles, method }) => roles.length === 0 && method !== 'get'),
    ].map(({ path }) => path);
    expect(open).toEqual([
      '/sign-in',
      '/sign-up',
      '/sign-out',
      '/password/forgot',
      '/password/reset',
      '/sign-up/confirm',
      '/email/confirm',
    ]);
  });
});
