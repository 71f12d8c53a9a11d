import { Page } from '../../../ui/page.js';
import { Endpoints } from '../../webhooks/endpoints.js';

/** Endpoints of operators, and what was sent to them. */
export function Events() {
  return (
    <Page
      title="Events"
      lead="The gateway can tell your own systems, or mail you, what needs an operator. Requests are signed as webhooks are."
    >
      <Endpoints of="operator" />
    </Page>
  );
}
