import { useGet, useSend } from '../../api/use-api.js';
import { Badge } from '../../ui/badge.js';
import { Card } from '../../ui/card.js';
import { Confirm } from '../../ui/forms/action-form.js';
import { Load } from '../../ui/states.js';
import { Time } from '../../ui/time.js';

/** Open sessions of the user, and a button that ends all others. */
export function Sessions() {
  const query = useGet({ path: '/sessions' });
  const send = useSend('/sessions/end-others', ['sessions']);
  return (
    <Card
      title="Sessions"
      note="Where you are logged in."
      action={
        (query.data?.length ?? 0) > 1 && (
          <Confirm
            trigger="Log out elsewhere"
            title="Log out everywhere else?"
            note="Every browser but this one has to log in again."
            verb="Log out elsewhere"
            action={() => send.mutateAsync({})}
          />
        )
      }
    >
      <Load query={query}>
        {(sessions) => (
          <ul className="grid gap-3">
            {sessions.map((session) => (
              <li key={session.id} className="flex flex-wrap items-center justify-between gap-2 text-sm">
                <span className="min-w-0">
                  <span className="block break-words">{getBrowserName(session.user_agent)}</span>
                  <span className="text-[0.8125rem] text-muted">
                    {session.ip_address ?? 'unknown address'} · since <Time iso={session.created_at} />
                  </span>
                </span>
                {session.is_current && <Badge tone="good">this browser</Badge>}
              </li>
            ))}
          </ul>
        )}
      </Load>
    </Card>
  );
}

/** The browser and system that a user agent names, as far as it does. */
function getBrowserName(userAgent: string | null): string {
  const text = userAgent ?? '';
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(text)?.[1] ?? 'Unknown browser';
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(text)?.[1];
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser;
  return system === undefined ? name : `${name} on ${system.replace('Mac OS X', 'macOS')}`;
}
