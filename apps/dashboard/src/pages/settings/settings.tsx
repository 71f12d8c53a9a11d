import type { DashboardRole } from '@image-gateway/shared/user/schema';
import { useSend, useSession } from '../../api/use-api.js';
import { useTheme } from '../../lib/use-theme.js';
import { Card } from '../../ui/card.js';
import { Detail } from '../../ui/detail.js';
import { ActionForm } from '../../ui/forms/action-form.js';
import { CopyButton } from '../../ui/forms/copy-button.js';
import { Field, NEW_PASSWORD, OWN_PASSWORD } from '../../ui/forms/fields.js';
import { Page } from '../../ui/page.js';
import { Sessions } from './sessions.js';

const THEMES = [
  ['system', 'Same as system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

/** User, sessions, password, theme. */
export function Settings() {
  const session = useSession().data;
  const [theme, choose] = useTheme();
  return (
    <Page title="Settings">
      <Card title="Account">
        <dl>
          <Detail name="E-mail">{session?.user?.email}</Detail>
          <Detail name="Role">{session?.user?.role === 'operator' ? 'Operator' : 'Account owner'}</Detail>
          {session?.account && (
            <Detail name="Account id">
              <span className="flex flex-wrap items-center gap-3">
                <span className="font-mono text-[0.8125rem]">{session.account.id}</span>
                <CopyButton text={session.account.id} />
              </span>
            </Detail>
          )}
          <Detail name="Base URL">
            <span className="font-mono text-[0.8125rem]">{session?.base_url}</span>
          </Detail>
          <Detail name="Documents">
            <a href="/docs" className="underline underline-offset-4">
              API reference
            </a>
          </Detail>
          <Detail name="Licences">
            <a href="/dashboard/third-party-licenses.txt" className="underline underline-offset-4">
              Of the packages in these pages
            </a>
          </Detail>
        </dl>
      </Card>
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <ChangePassword />
        <ChangeEmail sendsMail={session?.sends_mail === true} role={session?.user?.role ?? 'owner'} />
        <Card title="Appearance">
          <Field label="Theme" value={theme} options={THEMES} onChange={choose} />
        </Card>
      </div>
      <Sessions />
    </Page>
  );
}

/** Changes the password; every other browser is logged out. */
function ChangePassword() {
  const send = useSend('/password', ['sessions']);
  return (
    <Card title="Password" note="Changing it logs you out everywhere else.">
      <ActionForm
        fields={[
          {
            name: 'current',
            label: 'Current password',
            type: 'password',
            autoComplete: 'current-password',
            required: true,
          },
          { ...NEW_PASSWORD, name: 'next' },
        ]}
        action={(body) => send.mutateAsync({ body })}
        verb="Change password"
        done="The password has been changed."
      />
    </Card>
  );
}

/** Changes the address of the log-in, once a link that is mailed there is opened. */
function ChangeEmail({ sendsMail, role }: Readonly<{ sendsMail: boolean; role: DashboardRole }>) {
  const send = useSend('/email');
  if (!sendsMail) {
    return (
      <Card title="E-mail address">
        <p className="text-muted text-sm">
          {role === 'owner'
            ? 'This gateway sends no mail: its operator changes the address of your log-in.'
            : 'This gateway sends no mail. Change your address with: gateway operator set-email.'}
        </p>
      </Card>
    );
  }
  return (
    <Card
      title="E-mail address"
      note="A link goes to the new address, and the one before is told. Then you log in again, everywhere."
    >
      <ActionForm
        fields={[
          {
            name: 'email',
            label: 'New e-mail address',
            type: 'email',
            autoComplete: 'email',
            required: true,
            maxLength: 254,
          },
          OWN_PASSWORD,
        ]}
        action={async (body) => {
          await send.mutateAsync({ body });
          return body.email;
        }}
        verb="Mail me a link"
        done={(email) =>
          `A mail is on its way to ${email}. Its link is good for an hour; until you open it nothing changes.`
        }
      />
    </Card>
  );
}
