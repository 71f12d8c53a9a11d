import type { NeedsView } from '@image-gateway/shared/provider/schema';
import { useGet } from '../../../api/use-api.js';
import { formatMoney } from '../../../lib/figures.js';
import { ButtonLink } from '../../../ui/forms/button.js';
import { Notice } from '../../../ui/states.js';
import { Time } from '../../../ui/time.js';

/** Lines about what needs an operator now; nothing while nothing does. */
export function Needs({ shows }: { readonly shows: 'all' | 'providers' }) {
  const { data } = useGet({ path: '/operator/needs' }, { everyMs: 15_000 });
  if (!data) {
    return null;
  }
  return (
    <>
      {data.providers.map((need) => (
        <Notice key={`${need.provider} ${need.reason}`} kind="bad">
          <span className="font-medium">{need.provider === '*' ? 'All providers' : need.provider}</span>:{' '}
          <span className="[overflow-wrap:anywhere]">{need.reason}</span>
          {need.since !== null && (
            <>
              {' '}
              Since <Time iso={need.since} />.
            </>
          )}
        </Notice>
      ))}
      <Overload needs={data} />
      {shows === 'all' && <OtherNeeds needs={data} />}
    </>
  );
}

/** Models whose tasks fail, and routes that workers let rest since their calls failed. */
function Overload({ needs }: { readonly needs: NeedsView }) {
  return (
    <>
      {needs.failing.map(({ model, failed, since }) => (
        <Notice
          key={model}
          kind="bad"
          action={
            <ButtonLink
              to="/operator/tasks"
              search={{ model, status: 'failed', from: since.slice(0, 16) }}
              small
            >
              Look at them
            </ButtonLink>
          }
        >
          <span className="font-medium">{model}</span>: {failed.toLocaleString('en')} tasks failed since{' '}
          <Time iso={since} />, because providers failed or were not in time.
        </Notice>
      ))}
      {needs.open_circuits.map(({ provider, model }) => (
        <Notice
          key={`${provider} ${model}`}
          kind="bad"
          action={
            <ButtonLink to="/operator/providers" small>
              Look at it
            </ButtonLink>
          }
        >
          <span className="font-medium">{provider}</span>: the circuit of {model} is open. Its calls failed,
          and wait for a trial to succeed.
        </Notice>
      ))}
    </>
  );
}

function OtherNeeds({ needs }: { readonly needs: NeedsView }) {
  const { broken_invariants: broken, failing_endpoints: failing, low_balances: low } = needs;
  return (
    <>
      {broken.length > 0 && (
        <Notice
          kind="bad"
          action={
            <ButtonLink to="/operator/ledger" small>
              Check again
            </ButtonLink>
          }
        >
          A check of the ledger found broken: {broken.join('; ')}.
        </Notice>
      )}
      {groupByAccount(needs.moderated).map(({ id, email, refused }) => (
        <Notice
          key={id}
          kind="bad"
          action={
            <ButtonLink to="/operator/accounts/$id" params={{ id }} small>
              Look at it
            </ButtonLink>
          }
        >
          Moderation refused {refused.toLocaleString('en')} calls of{' '}
          <span className="font-medium [overflow-wrap:anywhere]">{email}</span> today.
        </Notice>
      ))}
      {failing > 0 && (
        <Notice
          kind="bad"
          action={
            <ButtonLink to="/operator/events" small>
              Look at them
            </ButtonLink>
          }
        >
          {failing === 1 ? 'One endpoint of operators fails.' : `${failing} endpoints of operators fail.`}
        </Notice>
      )}
      {low !== null && (
        <Notice
          kind="info"
          action={
            <ButtonLink to="/operator/accounts" small>
              Look at them
            </ButtonLink>
          }
        >
          {low.accounts === 1 ? 'One account has' : `${low.accounts.toLocaleString('en')} accounts have`} less
          than {formatMoney(low.threshold)}.
        </Notice>
      )}
    </>
  );
}

function groupByAccount(items: NeedsView['moderated']) {
  const accounts = new Map<string, { id: string; email: string; refused: number }>();
  for (const { account_id: id, email, refused } of items) {
    accounts.set(id, { id, email, refused: refused + (accounts.get(id)?.refused ?? 0) });
  }
  return [...accounts.values()];
}
