import type { NeedsView } from '@image-gateway/shared/contract';
import { Link } from '@tanstack/react-router';
import { useGet } from '../../../api/use-get.js';
import { buttonClass } from '../../../ui/forms/button.js';
import { Notice } from '../../../ui/states/notice.js';
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
      {shows === 'all' &&
        groupByAccount(data.moderated).map((account) => <Moderated key={account.id} {...account} />)}
    </>
  );
}

function Moderated({
  id,
  email,
  refused,
}: {
  readonly id: string;
  readonly email: string;
  readonly refused: number;
}) {
  return (
    <Notice
      kind="bad"
      action={
        <Link to="/operator/accounts/$id" params={{ id }} className={buttonClass('plain', true)}>
          Look at it
        </Link>
      }
    >
      Moderation refused {refused.toLocaleString('en')} calls of{' '}
      <span className="font-medium [overflow-wrap:anywhere]">{email}</span> today.
    </Notice>
  );
}

function groupByAccount(items: NeedsView['moderated']) {
  const accounts = new Map<string, { id: string; email: string; refused: number }>();
  for (const { account_id: id, email, refused } of items) {
    accounts.set(id, { id, email, refused: refused + (accounts.get(id)?.refused ?? 0) });
  }
  return [...accounts.values()];
}
