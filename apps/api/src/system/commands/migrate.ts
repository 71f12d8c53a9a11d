import { join } from 'node:path';
import { boolean, loadSettings, optional, sharedSettings, text } from '@image-gateway/shared/config';
import {
  applyMigrations,
  createDatabase,
  describeMissingRights,
  findMissingRights,
  grantApplicationRole,
  setSessionDefaults,
} from '@image-gateway/shared/db/database';
import { defineCommand, option } from '../../cli/define-command.js';
import { explainError } from '../../cli/explain-error.js';

const SETTINGS = {
  DATABASE_URL: sharedSettings.DATABASE_URL,
  DIRECT_URL: sharedSettings.DIRECT_URL,
  APPLICATION_ROLE: text('image_gateway_app'),
  APPLICATION_PASSWORD: optional(text()),
  APPLICATION_ROLE_IS_MANAGED: boolean(false),
};

/** Command `migrate`, which brings the database to this release, and with APPLICATION_PASSWORD makes the role of the processes. */
export const commands = {
  migrate: defineCommand({
    about:
      'Apply the migrations that are missing; every start runs this. From 0.3.0 with all processes stopped, later beside those that run',
    options: { rolledBack: option('<name>', 'first mark a migration that a former release left half-way') },
    run: async ({ env, projectDir, reportProgress, tell }, { rolledBack }) => {
      const settings = loadSettings(SETTINGS, env);
      const url = settings.DIRECT_URL ?? settings.DATABASE_URL;
      const folder = join(projectDir, 'prisma/migrations');
      const applied = await applyMigrations({ url, folder, rolledBack, report: reportProgress, tell });
      // Where roles are managed elsewhere, the password in the settings is none of ours.
      const password = settings.APPLICATION_ROLE_IS_MANAGED ? undefined : settings.APPLICATION_PASSWORD;
      const role =
        password === undefined
          ? undefined
          : {
              name: settings.APPLICATION_ROLE,
              password,
              rights: join(projectDir, 'prisma/application-role.sql'),
            };
      if (role) {
        await grantApplicationRole(url, role);
      }
      const limits = await setLimits(settings.DATABASE_URL);
      const done =
        applied.length === 0 ? 'The database is at this release.' : `${applied.length} migrations applied.`;
      const granted = role ? ` The role ${role.name} may read and write rows.` : '';
      const unset =
        limits.session_settings === 'role'
          ? ''
          : ` The settings of sessions could not be set on the role of DATABASE_URL: ${limits.reason}`;
      const missing = await findRights(settings.DATABASE_URL);
      const warned = missing === null ? '' : `\nWarning: ${missing.observed}.\n${missing.remediation}`;
      return {
        value: {
          applied,
          ...(role && { role: role.name }),
          ...limits,
          ...(missing && { missing_rights: missing }),
        },
        text: `${done}${granted}${unset}${warned}`,
      };
    },
  }),
};

/** Returns what the role of the processes may not do, and how it gets the right. Null where nothing is missing, or it can't be asked. */
async function findRights(url: string) {
  const db = createDatabase({ url, applicationName: 'image-gateway migrate', max: 1 });
  try {
    const missing = await findMissingRights(db);
    return missing && describeMissingRights(missing);
  } catch {
    // Another fault than rights, which `doctor` and the start of the processes name.
    return null;
  } finally {
    await db.close();
  }
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
