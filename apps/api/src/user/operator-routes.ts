import { list, nothing, object, text } from '@image-gateway/shared/schema';
import { createOperatorBody, operatorItem, ownPasswordBody } from '@image-gateway/shared/user/schema';
import type { DashboardDeps } from '../dashboard-deps.js';
import { defineRoute, operators } from '../http/define-route.js';
import { requirePassword } from '../http/session/require-password.js';
import { createOperator, listOperators, removeOperator } from './operators.js';
import { newPassword } from './passwords.js';

/** Operators on a page. */
const MAX_OPERATORS = 500;

/** Routes with which operators look after each other. A session alone makes and removes none: each asks for the password. */
export function operatorRoutes(deps: Pick<DashboardDeps, 'db' | 'operatorReads' | 'auth' | 'limits'>) {
  const { db, operatorReads } = deps;
  return [
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/operators',
      summary: 'List the operators',
      response: list(operatorItem),
      run: () => listOperators(operatorReads, MAX_OPERATORS),
    }),
    // The password of the new operator is shown this once.
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/operators',
      summary: 'Create an operator',
      response: object({ id: text(), email: text(), password: text() }),

      body: createOperatorBody,
      run: async (call) => {
        await requirePassword(deps, call, call.input.password);
        const password = newPassword();
        const wanted = { email: call.input.email, password, actor: call.user.email };
        return { ...(await createOperator({ db }, wanted)), password };
      },
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/operators/:id/remove',
      summary: 'Remove an operator',
      response: nothing,

      body: ownPasswordBody,
      run: async (call) => {
        await requirePassword(deps, call, call.input.password);
        await removeOperator({ db }, { id: call.params.id ?? '', actor: call.user.email });
      },
    }),
  ];
}
