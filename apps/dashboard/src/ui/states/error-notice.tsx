import { Button } from '../forms/button.js';
import { Notice } from './notice.js';

/** Notice of an error, with a button to retry where that is possible. */
export function ErrorNotice({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  return (
    <Notice
      kind="bad"
      action={
        onRetry && (
          <Button small onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      {error instanceof Error ? error.message : 'Something went wrong.'}
    </Notice>
  );
}
