import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { buttonClass } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Empty } from '../ui/empty.js';
import { Page } from '../ui/page.js';

/** What stands at an address that leads nowhere. */
export function NotFound() {
  return (
    <Page title="Page not found">
      <Card>
        <Empty
          icon={Compass}
          title="There is nothing here"
          action={
            <Link to="/" className={buttonClass('primary')}>
              To the start
            </Link>
          }
        >
          The address may be mistyped, or the page is not for your log-in.
        </Empty>
      </Card>
    </Page>
  );
}
