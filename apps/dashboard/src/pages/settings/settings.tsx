import { useSession } from '../../api/use-session.js';
import { type Theme, useTheme } from '../../lib/use-theme.js';
import { Card } from '../../ui/card.js';
import { Detail } from '../../ui/detail.js';
import { CopyButton } from '../../ui/forms/copy-button.js';
import { SelectField } from '../../ui/forms/select-field.js';
import { Page } from '../../ui/page.js';
import { ChangePassword } from './change-password.js';
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
        <Card title="Appearance">
          <SelectField
            label="Theme"
            value={theme}
            options={THEMES}
            onChange={(next) => choose(next as Theme)}
          />
        </Card>
      </div>
      <Sessions />
    </Page>
  );
}
