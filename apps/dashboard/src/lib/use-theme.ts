import { createChoice } from './use-choice.js';

/** Chosen theme; `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark';

/** The chosen theme and how to choose another one; `theme.js` puts it on the document. */
export const useTheme = createChoice<Theme>('theme', ['system', 'light', 'dark']).use;
