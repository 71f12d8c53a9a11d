import { LogOut } from 'lucide-react';
import { queryClient, SESSION_KEY } from '../api/query-client.js';
import { useSend } from '../api/use-send.js';

/** Ends the session and forgets all that was loaded. */
export function SignOutButton() {
  const send = useSend('/sign-out');
  const signOut = (): void => {
    send.mutate(
      {},
      {
        onSuccess: () => {
          queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
          void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
        },
      },
    );
  };
  return (
    <button
      type="button"
      onClick={signOut}
      aria-label="Log out"
      title="Log out"
      className="grid size-9 shrink-0 place-items-center rounded-lg text-muted hover:bg-sunken hover:text-ink"
    >
      <LogOut aria-hidden className="size-4.5" />
    </button>
  );
}
