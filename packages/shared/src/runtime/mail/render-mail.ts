import type { Mail } from './create-mailer.js';

/** Content of a mail: paragraphs, at most one link, and facts as a table. */
export interface MailContent {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly link?: { readonly label: string; readonly url: string };
  readonly facts?: readonly (readonly [name: string, value: string])[];
  /** Reason why the reader gets it. */
  readonly footer: string;
}

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

const BUTTON =
  'display:inline-block;padding:10px 18px;background:#1d4ed8;color:#ffffff;border-radius:8px;text-decoration:none';

function renderLink({ label, url }: NonNullable<MailContent['link']>): string {
  const address = escapeHtml(url);
  return `<p style="margin:0 0 16px"><a href="${address}" style="${BUTTON}">${escapeHtml(label)}</a></p>
<p style="margin:0 0 16px;color:#5b6470;font-size:14px;word-break:break-all">${address}</p>`;
}

/** Renders a mail as plain text and as HTML, which loads nothing. */
export function renderMail({ subject, paragraphs, link, facts = [], footer }: MailContent): Omit<Mail, 'to'> {
  const text = [
    ...paragraphs,
    ...(link ? [`${link.label}: ${link.url}`] : []),
    ...(facts.length > 0 ? [facts.map(([name, value]) => `${name}: ${value}`).join('\n')] : []),
    `-- \n${footer}`,
  ].join('\n\n');
  const rows = facts.map(
    ([name, value]) =>
      `<tr><td style="padding:4px 16px 4px 0;color:#5b6470">${escapeHtml(name)}</td><td style="padding:4px ` +
      `0;word-break:break-word">${escapeHtml(value)}</td></tr>`,
  );
  const card = [
    'max-width:560px;margin:0 auto;padding:28px;background:#ffffff;border-radius:10px;color:#16191d',
    `font-size:16px;line-height:1.5;${FONT}`,
  ].join(';');
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;background:#f4f5f7"><div style="${card}">
<h1 style="margin:0 0 16px;font-size:20px">${escapeHtml(subject)}</h1>
${paragraphs.map((paragraph) => `<p style="margin:0 0 16px">${escapeHtml(paragraph)}</p>`).join('\n')}
${link ? renderLink(link) : ''}
${rows.length > 0 ? `<table style="margin:0 0 16px;border-collapse:collapse;font-size:15px">${rows.join('')}</table>` : ''}
<p style="margin:0;padding-top:16px;border-top:1px solid #e3e6ea;color:#5b6470;font-size:13px">${escapeHtml(footer)}</p>
</div></body></html>`;
  return { subject, text, html };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
