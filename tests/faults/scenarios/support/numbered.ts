/** Makes wishes whose prompts begin with a text and are all different. */
export function numbered(start: string): () => { readonly prompt: string } {
  let next = 0;
  return () => {
    next += 1;
    return { prompt: `${start} ${next}` };
  };
}
