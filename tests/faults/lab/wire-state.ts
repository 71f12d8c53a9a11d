import type { Socket } from 'node:net';

/**
 * Behaviour of a wire:
 * - `pass` forwards every chunk, `delay` does so after some time, `throttle` at a number of bytes a second;
 * - `black-hole` forwards nothing until it is healed, and then everything, as TCP does;
 * - `refuse` resets open and new connections, `reset` resets the open ones once;
 * - `cut` resets a connection after a number of bytes from the service.
 */
export type WireMode =
  | { readonly kind: 'pass' | 'black-hole' | 'refuse' | 'reset' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'cut'; readonly afterBytes: number }
  | { readonly kind: 'throttle'; readonly bytesPerSecond: number };

/** One connection through a wire. */
export interface Link {
  readonly pass: (from: Socket, to: Socket, data: Buffer, way: 'there' | 'back') => void;
}

/** The behaviour that all connections of a wire share. */
export interface WireState {
  readonly mode: () => WireMode;
  readonly set: (mode: WireMode) => void;
  readonly cutOn: (text: string, when: 'before' | 'after', times: number) => void;
  readonly cuts: () => number;
  readonly link: (reset: () => void) => Link;
}

interface Trap {
  readonly text: string;
  readonly when: 'before' | 'after';
  left: number;
}

/** Makes the state of a wire that passes everything on. */
export function createWireState(): WireState {
  let mode: WireMode = { kind: 'pass' };
  let trap: Trap | null = null;
  let cuts = 0;
  let held: (() => void)[] = [];

  const springs = (data: Buffer): Trap | null => {
    if (trap === null || trap.left === 0 || !data.includes(trap.text)) {
      return null;
    }
    trap.left -= 1;
    cuts += 1;
    return trap;
  };
  const link = (reset: () => void): Link => {
    let doomed = false;
    let back = 0;
    const write = (from: Socket, to: Socket, data: Buffer): void => {
      if (to.destroyed || to.write(data)) {
        return;
      }
      from.pause();
      to.once('drain', () => from.resume());
    };
    return {
      pass: (from, to, data, way) => {
        if (way === 'there') {
          const sprung = springs(data);
          if (sprung?.when === 'before') {
            return reset();
          }
          if (sprung) {
            doomed = true;
          }
        } else {
          if (doomed) {
            return reset();
          }
          back += data.length;
          if (mode.kind === 'cut' && back > mode.afterBytes) {
            return reset();
          }
        }
        if (mode.kind === 'black-hole') {
          from.pause();
          held.push(() => {
            from.resume();
            write(from, to, data);
          });
          return;
        }
        const waitMs = getDelayMs(mode, data);
        if (waitMs === 0) {
          return write(from, to, data);
        }
        from.pause();
        setTimeout(() => {
          from.resume();
          write(from, to, data);
        }, waitMs);
      },
    };
  };
  return {
    mode: () => mode,
    set: (next) => {
      mode = next;
      if (next.kind === 'pass') {
        trap = null;
      }
      if (next.kind === 'black-hole') {
        return;
      }
      const release = held;
      held = [];
      for (const pass of release) {
        pass();
      }
    },
    cutOn: (text, when, times) => {
      trap = { text, when, left: times };
    },
    cuts: () => cuts,
    link,
  };
}

function getDelayMs(mode: WireMode, data: Buffer): number {
  if (mode.kind === 'delay') {
    return mode.ms;
  }
  return mode.kind === 'throttle' ? (data.length / mode.bytesPerSecond) * 1_000 : 0;
}
