import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** CPU time and memory of processes. */
export interface Usage {
  readonly cpuMs: number;
  /** Resident memory in MiB, all processes together; shared pages count once each. */
  readonly residentMib: number;
}

const MS_PER_TICK = 10;

/** CPU time and memory of a process and its children, those that have ended included, from /proc; zero where there is none. */
export function measureUsage(pid: number): Usage {
  let cpuMs = 0;
  let residentMib = 0;
  for (const one of [pid, ...findChildren(pid)]) {
    const fields = readFields(one);
    if (!fields) {
      continue;
    }
    // Without its former children a server whose connections come and go would seem to give time back.
    const ticks = one === pid ? fields.slice(11, 15) : fields.slice(11, 13);
    cpuMs += ticks.reduce((sum, field) => sum + Number(field), 0) * MS_PER_TICK;
    residentMib +=
      Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${one}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  }
  return { cpuMs, residentMib };
}

/** Resident memory of one process in MiB, shared libraries included; 0 when it is gone. */
export const measureResidentMib = (pid: number): number => readStatusMib(pid, 'VmRSS');

/** Largest resident memory that a process has ever had, in MiB; 0 when it is gone. */
export const measurePeakMib = (pid: number): number => readStatusMib(pid, 'VmHWM');

/** Milliseconds for which the main thread of a process was ready and had no processor; 0 where the system does not count them. */
export function measureWaitedMs(pid: number): number {
  const file = `/proc/${pid}/task/${pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e6 : 0;
}

function readStatusMib(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) {
    return 0;
  }
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? 0) / 1024;
}

/** The parent of a process. */
export function findParent(pid: number): number {
  return Number(readFields(pid)?.[1] ?? 0);
}

// The fields after the name, which may hold blanks: state, parent, …, user time (11), system time (12), of waited-for children (13, 14).
function readFields(pid: number): readonly string[] | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return null;
  }
}

function findChildren(pid: number): number[] {
  if (!existsSync('/proc')) {
    return [];
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => findParent(one) === pid);
}
