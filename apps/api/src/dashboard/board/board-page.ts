/** What the page is made of. */
export interface BoardPageParts {
  /** The library's own page, with its foreign fonts and styles in the text. */
  readonly template: string;
  /** JSON for the scripts. */
  readonly settings: string;
  /** Where the board stands, with a slash at the end. */
  readonly base: string;
}

/** Writes the page of the board: the library's scripts and styles, and nothing of other hosts. Throws when it has none. */
export function boardPage({ template, settings, base }: BoardPageParts): string {
  const scripts = [...template.matchAll(/\ssrc="(static\/js\/[^"]+)"/g)].map(([, file]) => file);
  const styles = [...template.matchAll(/\shref="(static\/css\/[^"]+)"/g)].map(([, file]) => file);
  if (scripts.length === 0 || styles.length === 0) throw new Error('the page of bull-board is not as it was');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<base href="${base}">
<title>Queues · image-gateway</title>
<link rel="icon" type="image/svg+xml" href="/dashboard/favicon.svg">
${styles.map((file) => `<link rel="stylesheet" href="${file}">`).join('\n')}
</head>
<body>
<script id="__UI_CONFIG__" type="application/json">${settings.replace(/</g, '\\u003c')}</script>
<div id="root"></div>
${scripts.map((file) => `<script defer src="${file}"></script>`).join('\n')}
</body>
</html>
`;
}
