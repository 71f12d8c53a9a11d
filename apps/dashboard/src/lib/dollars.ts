/** The number of dollars in a dollar string such as `$0.0100` or `-$1.00`: for drawing, never for sums. */
export function dollars(text: string): number {
  return Number(text.replace('$', ''));
}
