import { PlainPage } from '../../layout/plain-page.js';
import { SignOutButton } from '../../layout/sign-out-button.js';
import { Notice } from '../../ui/states/notice.js';

/** The only page of the owner of a suspended account. */
export function Suspended() {
  return (
    <PlainPage title="Account suspended">
      <Notice kind="bad" action={<SignOutButton />}>
        This account is suspended: new requests are refused. Tasks that were accepted before are finished as
        usual. Ask the operator of this gateway.
      </Notice>
    </PlainPage>
  );
}
