import { formatMoment } from './times.js';

/** Formats a part of a whole. */
export const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;

/** Formats milliseconds as seconds. */
export const seconds = (ms: number | null): string =>
  ms === null ? '–' : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;

/** Formats the time between two ISO times. */
export function formatDuration(from: string, to: string): string {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return seconds < 60
    ? `${seconds.toFixed(1)} s`
    : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** Says that calls are paused, and until when. */
export const describePause = (until: string | null): string =>
  until === null ? 'paused' : `paused until ${formatMoment(until)}`;

/** Writes a number of bytes as people read it, such as `1.2 MB`. */
export function formatBytes(count: number): string {
  if (count < 1000) {
    return `${count} B`;
  }
  const [unit, size] =
    count < 1_000_000 ? ['kB', 1000] : count < 1_000_000_000 ? ['MB', 1_000_000] : ['GB', 1_000_000_000];
  return `${(count / size).toFixed(unit === 'kB' ? 0 : 1)} ${unit}`;
}

/** The number of dollars in a dollar string such as `$0.0100` or `-$1.00`: for drawing, never for sums. */
export function dollars(text: string): number {
  return Number(text.replace('$', ''));
}

const AMOUNT = /([+-]?)\$(\d[\d,]*)(?:\.(\d+))?/;
const AMOUNTS = new RegExp(AMOUNT, 'g');

/** Returns how many decimals an amount of dollars needs, at least two; zero for what is no amount. */
export function countDecimals(amount: unknown): number {
  const [whole, , , part = ''] = AMOUNT.exec(String(amount)) ?? [];
  return whole !== undefined && whole === amount ? Math.max(2, trimZeros(part).length) : 0;
}

/** Writes an amount of dollars such as `$1234.5000` as people read it: `$1,234.50`, with more decimals where it needs or gets them. */
export function formatMoney(amount: string, decimals = 2): string {
  const [, sign, whole = '', part = ''] = AMOUNT.exec(amount) ?? [];
  const thousands = whole.replaceAll(',', '').replace(/\B(?=(\d{3})+$)/g, ',');
  return sign === undefined ? amount : `${sign}$${thousands}.${trimZeros(part).padEnd(decimals, '0')}`;
}

const trimZeros = (decimals: string): string => decimals.replace(/0+$/, '');

/** Writes the amounts of dollars in a sentence as people read them. */
export const tidyMoney = (text: string): string => text.replace(AMOUNTS, (amount) => formatMoney(amount));

/** Writes the amounts in a part of a page that is a text; other parts stay as they are. */
export const tidyPart = <T>(part: T): T | string => (typeof part === 'string' ? tidyMoney(part) : part);

/** Writes a number of dollars in full. */
export const writeDollars = (amount: number): string =>
  formatMoney(`${amount < 0 ? '-' : ''}$${Math.abs(amount).toFixed(6)}`);

/** Rounds dollars for a look at a sum: to cents from $1 on, to four places below. */
export const roundDollars = (amount: number): string =>
  writeDollars(Number(amount.toFixed(Math.abs(amount) >= 1 ? 2 : 4)));

/** Decimals of a step between the ticks of an axis; the texts of all ticks have as many. */
const countPlaces = (step: number): number =>
  (String(Number(step.toPrecision(6))).split('.')[1] ?? '').length;

/** Writes a tick of an axis of dollars. */
export function tickDollars(amount: number, step: number): string {
  const places = countPlaces(step);
  const digits = places === 0 ? 0 : Math.max(2, places);
  return `$${amount.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** Writes a tick of an axis of milliseconds as seconds. */
export const tickSeconds = (ms: number, stepMs: number): string =>
  `${(ms / 1000).toFixed(countPlaces(stepMs / 1000))} s`;

/** Scale of an axis from zero: the distance of its ticks and the ticks themselves. */
export interface Scale {
  readonly step: number;
  readonly top: number;
  readonly ticks: readonly number[];
}

const TICKS = 4;
const STEPS = [1, 2, 2.5, 5, 10];

/** Creates a scale with about four round steps up to a value; a count has no step below one. */
export function createScale(most: number, isCount = false): Scale {
  const raw = (most > 0 ? most : 1) / TICKS;
  const power = 10 ** Math.floor(Math.log10(raw));
  const round = STEPS.map((one) => one * power).find((one) => one >= raw * 0.999_999) ?? raw;
  const step = isCount ? Math.max(1, Math.ceil(round)) : round;
  const count = Math.max(1, Math.ceil(most / step - 0.000_001));
  return { step, top: count * step, ticks: Array.from({ length: count + 1 }, (_, index) => index * step) };
}
