/** The prompt for a provider that knows no negative prompt. */
export function foldPrompt(prompt: string, negativePrompt: string | null): string {
  return negativePrompt === null ? prompt : `${prompt}\n\nAvoid: ${negativePrompt}`;
}
