/** Returns the sender of mails: MAIL_FROM, else an address of the host of BASE_URL. */
export function getSender({
  MAIL_FROM: from,
  BASE_URL: baseUrl,
}: {
  readonly MAIL_FROM: string | undefined;
  readonly BASE_URL: string | undefined;
}): string {
  return (
    from ?? `image-gateway <no-reply@${baseUrl === undefined ? 'localhost' : new URL(baseUrl).hostname}>`
  );
}
