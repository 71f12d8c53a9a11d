import { Button } from '../forms/button.js';
import { Notice } from './notice.js';

/** What went wrong, and a way to try again where there is one. */
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
