import type { Mutant } from '../mutant.js';

const permissions = 'tests/integration/permissions.test.ts';
const everyRoute = 'apps/api/test/dashboard/every-route.test.ts';
const shapes = 'packages/shared/src/domain/schema/shape.ts';

/** Defects in who may call a route, and in what its schema holds. */
export const routeMutants: readonly Mutant[] = [
  {
    name: 'route-without-role',
    defect: 'anybody may credit an account',
    edits: [
      {
        file: 'apps/api/src/account/routes.ts',
        find: "...operators,\n      method: 'post',\n      path: '/operator/accounts/:id/credit',",
        replace:
          "...operators,\n      roles: [],\n      method: 'post',\n      path: '/operator/accounts/:id/credit',",
      },
    ],
    hunters: [permissions, everyRoute],
  },
  {
    name: 'role-of-owners-added',
    defect: 'owners may adjust the balance of any account',
    edits: [
      {
        file: 'apps/api/src/account/routes.ts',
        find: "...operators,\n      method: 'post',\n      path: '/operator/accounts/:id/adjust',",
        replace:
          "...operators,\n      roles: ['operator', 'owner'],\n      method: 'post',\n      path: '/operator/accounts/:id/adjust',",
      },
    ],
    hunters: [permissions, everyRoute],
  },
  {
    name: 'roles-unread',
    defect: 'the guard lets every user with a session in',
    edits: [
      {
        file: 'apps/api/src/http/session/guard-route.ts',
        find: "if (!route.roles.includes(role) || (role === 'owner' && !account)) {",
        replace: "if (role === 'owner' && !account) {",
      },
    ],
    hunters: [everyRoute],
  },
  {
    name: 'unknown-field-of-response',
    defect: 'a response may have fields that its schema does not know',
    edits: [
      {
        file: shapes,
        find: 'narrow(Joi.object(Object.fromEntries(entries.map(([name, { joi }]) => [name, joi])))),',
        replace:
          'narrow(Joi.object(Object.fromEntries(entries.map(([name, { joi }]) => [name, joi]))).unknown()),',
      },
    ],
    hunters: ['packages/shared/src/domain/schema/shape.test.ts'],
  },
];
