/** The number of dollars in a dollar string such as `$0.0100` or `-$1.00`: for drawing, never for sums. */
export function dollars(text: string): number {
  return Number(text.replace('$', ''));
}

/** Formats dollars for a look at a sum: whole ones from $1,000 on, cents from $1 on, and up to four places below. */
export function roundDollars(amount: number): string {
  const size = Math.abs(amount);
  return amount.toLocaleString('en', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: size >= 1_000 ? 0 : 2,
    maximumFractionDigits: size >= 1_000 ? 0 : size >= 1 ? 2 : 4,
  });
}
