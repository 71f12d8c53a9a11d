import { Compass } from 'lucide-react';
import { Card } from '../ui/card.js';
import { ButtonLink } from '../ui/forms/button.js';
import { Page } from '../ui/page.js';
import { Empty } from '../ui/states.js';

/** Page for an unknown address. */
export function NotFound() {
  const home = (
    <ButtonLink to="/" kind="primary">
      Go to the overview
    </ButtonLink>
  );
  return (
    <Page title="Page not found">
      <Card>
        <Empty icon={Compass} title="There is nothing here" action={home}>
          The address may be mistyped, or your user may not see this page.
        </Empty>
      </Card>
    </Page>
  );
}
