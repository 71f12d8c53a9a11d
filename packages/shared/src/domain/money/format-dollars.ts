const MICROS_PER_DOLLAR = 1_000_000n;

/** Formats whole micro-dollars as the API's dollar string: `$0.00` for zero, otherwise four to six decimals (`$0.0100`). */
export function formatDollars(micros: bigint): string {
  if (micros === 0n) {
    return '$0.00';
  }
  const absolute = micros < 0n ? -micros : micros;
  const whole = absolute / MICROS_PER_DOLLAR;
  const decimals = (absolute % MICROS_PER_DOLLAR)
    .toString()
    .padStart(6, '0')
    .replace(/0{1,2}$/, '');
  return `${micros < 0n ? '-' : ''}$${whole}.${decimals}`;
}
