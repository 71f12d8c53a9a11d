import { Moon, Sun, SunMoon } from 'lucide-react';
import { type Theme, useTheme } from '../lib/use-theme.js';

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const ICONS = { system: SunMoon, light: Sun, dark: Moon };
const LABELS: Readonly<Record<Theme, string>> = {
  system: 'same as system',
  light: 'light',
  dark: 'dark',
};

/** Goes through the colours: as the system has it, light, dark. */
export function ThemeButton() {
  const [theme, choose] = useTheme();
  const Icon = ICONS[theme];
  const label = `Theme: ${LABELS[theme]}. Change to ${LABELS[NEXT[theme]]}.`;
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={() => choose(NEXT[theme])}
      className="grid size-9 shrink-0 place-items-center rounded-lg text-muted hover:bg-sunken hover:text-ink"
    >
      <Icon aria-hidden className="size-4.5" />
    </button>
  );
}
