import { join } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { boolean, loadSettings, optional, sharedSettings, text } from '@image-gateway/shared/config';
import { applyMigrations, grantApplicationRole, setSessionDefaults } from '@image-gateway/shared/db';
import type { CliRun } from '../../cli/cli-context.js';
import { explainError } from '../../cli/explain-error.js';
import { formatExample } from '../../cli/help.js';

const SETTINGS = {
  DATABASE_URL: sharedSettings.DATABASE_URL,
  DIRECT_URL: sharedSettings.DIRECT_URL,
  APPLICATION_ROLE: text('image_gateway_app'),
  APPLICATION_PASSWORD: optional(text()),
  APPLICATION_ROLE_IS_MANAGED: boolean(false),
};

/** Builds `migrate`, which brings the database to this release, and with APPLICATION_PASSWORD makes the role of the processes. */
export function buildMigrate({ env, projectDir, reportProgress, tell, show }: CliRun) {
  return new Command('migrate')
    .description(
      'Apply the migrations that are missing; every start runs this. From 0.3.0 with all processes stopped, later beside those that run',
    )
    .option('--rolled-back <name>', 'first mark a migration that a former release left half-way')
    .addHelpText('after', formatExample('migrate'))
    .action(async ({ rolledBack }) => {
      const settings = loadSettings(SETTINGS, env);
      const url = settings.DIRECT_URL ?? settings.DATABASE_URL;
      const folder = join(projectDir, 'prisma/migrations');
      const applied = await applyMigrations({ url, folder, rolledBack, report: reportProgress, tell });
      // Where roles are managed elsewhere, the password in the settings is none of ours.
      const password = settings.APPLICATION_ROLE_IS_MANAGED ? undefined : settings.APPLICATION_PASSWORD;
      const role = password === undefined ? undefined : { name: settings.APPLICATION_ROLE, password };
      if (role) {
        await grantApplicationRole(url, role);
      }
      const limits = await setLimits(settings.DATABASE_URL);
      const done =
        applied.length === 0 ? 'The database is at this release.' : `${applied.length} migrations applied.`;
      show({
        value: { applied, ...(role && { role: role.name }), ...limits },
        text: [
          done,
          ...(role ? [`The role ${role.name} may read and write rows.`] : []),
          ...(limits.session_settings === 'role'
            ? []
            : [`The settings of sessions could not be set on the role of DATABASE_URL: ${limits.reason}`]),
        ].join(' '),
      });
    });
}

/** Sets timeouts and zone on the role of the processes. Where it may not be changed, the processes end their statements themselves. */
async function setLimits(url: string) {
  try {
    await setSessionDefaults(url);
    return { session_settings: 'role' } as const;
  } catch (error) {
    return { session_settings: 'client', reason: explainError(error).message } as const;
  }
}
