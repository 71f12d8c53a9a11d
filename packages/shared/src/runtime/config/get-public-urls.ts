/** Works out the public base URLs: `BASE_URL` defaults to `http://localhost:PORT`, `FILE_URL` to `{BASE_URL}/files`. */
export function getPublicUrls(settings: {
  readonly PORT: number;
  readonly BASE_URL: string | undefined;
  readonly FILE_URL: string | undefined;
}): { readonly baseUrl: string; readonly fileUrl: string } {
  const baseUrl = settings.BASE_URL ?? `http://localhost:${settings.PORT}`;
  return { baseUrl, fileUrl: settings.FILE_URL ?? `${baseUrl}/files` };
}
