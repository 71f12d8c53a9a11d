import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { Card } from '../ui/card.js';
import { buttonClass } from '../ui/forms/button.js';
import { Page } from '../ui/page.js';
import { Empty } from '../ui/states/empty.js';

/** Page for an unknown address. */
export function NotFound() {
  return (
    <Page title="Page not found">
      <Card>
        <Empty
          icon={Compass}
          title="There is nothing here"
          action={
            <Link to="/" className={buttonClass('primary')}>
              Go to the overview
            </Link>
          }
        >
          The address may be mistyped, or your user may not see this page.
        </Empty>
      </Card>
    </Page>
  );
}
