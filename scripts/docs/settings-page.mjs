// Makes docs/settings.md from .env.example, which a test compares with the settings that processes read.

/** Returns the page for the text of `.env.example`. Throws for a setting without an explanation. @param {string} example */
export function makeSettingsPage(example) {
  const sections = example.split(/^# ---- (.+) ----$/m).slice(1);
  const page = [
    '# Settings',
    '',
    'Settings are environment variables. Every process checks its own at start and lists every fault at once. A setting that is ' +
      'empty or absent has its default.',
    'This page is made from [`.env.example`](../.env.example).',
    '',
    'Every secret may be a file: `NAME_FILE` names it instead of `NAME` ' +
      '([Docker Compose](deploying-compose.md#starting-it-in-five-lines)).',
  ];
  for (let i = 0; i < sections.length; i += 2) {
    page.push('', `## ${title(sections[i])}`, '', '| Setting | Example or default | |', '|---|---|---|');
    page.push(...listSettings(sections[i + 1]).map(toRow));
  }
  return `${page.join('\n')}\n`;
}

/** Returns the module with which the API explains the settings, for the text of `.env.example`. @param {string} example */
export function makeSettingNotes(example) {
  const sections = example.split(/^# ---- (.+) ----$/m).slice(1);
  const notes = sections.flatMap((text, i) =>
    i % 2 === 0
      ? []
      : listSettings(text).map(({ name, value, about }) => [
          name,
          { section: title(sections[i - 1]), about, example: value },
        ]),
  );
  return [
    '// Made from .env.example; a test compares it: RECORD_INTERFACE=1 npm test -- --only tests/integration/documents',
    '',
    '/** Explanation of each setting by its environment variable: what it does, and its default or an example. */',
    'export const SETTING_NOTES: Readonly<',
    '  Record<string, { readonly section: string; readonly about: string; readonly example: string }>',
    '> = {',
    ...notes.map(([name, note]) => `  ${name}: ${JSON.stringify(note)},`),
    '};',
    '',
  ].join('\n');
}

/** @param {string | undefined} heading */
const title = (heading = '') => heading.split('.')[0] ?? heading;

/** @param {string | undefined} section */
function listSettings(section = '') {
  const found = [];
  /** @type {string[]} */
  let words = [];
  for (const line of section.split('\n')) {
    const [, name, value] = /^(?:# )?([A-Z][A-Z0-9_]+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      if (words.length === 0) {
        throw new Error(`.env.example does not explain ${name}`);
      }
      found.push({ name, value: value ?? '', about: words.join(' ') });
      words = [];
    } else {
      words = line.startsWith('# ') ? [...words, line.slice(2)] : [];
    }
  }
  return found;
}

/** @param {{ readonly name: string, readonly value: string, readonly about: string }} setting */
function toRow({ name, value, about }) {
  const cell = about.replaceAll('|', '\\|');
  return `| \`${name}\` | ${value === '' ? '' : `\`${value}\``} | ${cell} |`;
}
