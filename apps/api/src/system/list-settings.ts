import type { Setting } from '@image-gateway/shared/config';
import type { SettingsView } from '@image-gateway/shared/system/schema';
import { SETTING_NOTES } from './generated/setting-notes.js';

type Item = SettingsView['settings'][number];
type Env = Readonly<Record<string, string | undefined>>;

/** Shown in the place of an address that cannot be shown without what may be its log-in. */
const HIDDEN = '(set)';

/**
 * Lists every setting with its value in force, its default and its origin, of those that a process reads. A secret has neither; those of
 * other processes no value.
 */
export function listSettings(read: Readonly<Record<string, Setting<unknown>>>, env: Env): Item[] {
  return Object.entries(SETTING_NOTES).map(([name, { section, about, example }]) => {
    const setting = Object.hasOwn(read, name) ? read[name] : undefined;
    const given = env[name]?.trim() ?? '';
    const file = env[`${name}_FILE`]?.trim() ?? '';
    const isSecret = setting?.isSecret === true;
    const preset = setting?.fallback !== undefined && !isSecret ? example : null;
    const isGiven = given !== '' || file !== '';
    return {
      name,
      section,
      about,
      value:
        setting === undefined || isSecret
          ? null
          : given !== ''
            ? hideLogIn(given)
            : file !== ''
              ? HIDDEN
              : preset,
      default: preset,
      source:
        setting === undefined ? 'elsewhere' : !isGiven ? 'default' : given !== '' ? 'environment' : 'file',
      is_secret: isSecret,
    };
  });
}

/**
 * Returns an address without log-in, query and fragment, and any other text as it is. An unescaped mark in a password can move a part
 * of it into the path: such an address is not shown.
 */
function hideLogIn(text: string): string {
  if (!text.includes('://')) {
    return text;
  }
  if (!URL.canParse(text)) {
    return text.includes('@') ? HIDDEN : text;
  }
  const { protocol, host, pathname, search, hash } = new URL(text);
  if (`${pathname}${search}${hash}`.includes('@')) {
    return HIDDEN;
  }
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
