import { defineCommand } from '../../cli/define-command.js';
import { renderTable } from '../../cli/render.js';
import { API_SETTINGS } from '../../env.js';
import { listSettings } from '../list-settings.js';

/** Command `settings`. */
export const commands = {
  settings: defineCommand({
    about: 'List the settings that the API has in this environment, secrets only as set or not set',
    run: async ({ env }) => {
      const settings = listSettings(API_SETTINGS, env);
      const rows = settings
        .filter(({ source }) => source !== 'elsewhere')
        .map(({ name, value, source, is_secret: isSecret }) => ({
          setting: name,
          value: isSecret ? (source === 'default' ? 'not set' : 'set') : (value ?? ''),
          source,
        }));
      return { value: { settings }, text: renderTable(rows) };
    },
  }),
};
