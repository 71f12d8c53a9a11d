/** The addresses in the output of a prediction, which is one address or a list of them: empty when there is none, null when the output makes no sense. */
export function imagesOf(output: unknown): readonly string[] | null {
  if (output === null || output === undefined || output === '') return [];
  const list: readonly unknown[] = Array.isArray(output) ? output : [output];
  const urls = list.filter((url): url is string => typeof url === 'string' && url !== '');
  return urls.length === 0 && list.length > 0 ? null : urls;
}
