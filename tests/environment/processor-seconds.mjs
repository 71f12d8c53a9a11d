import fs from 'node:fs';

// Ticks of the clock in which Linux counts, whatever the processor.
const TICKS_PER_SECOND = 100;

/** Reads what Linux counts of a process; null when it has ended meanwhile. */
function readProcess(pid) {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program may hold spaces and parentheses.
    const [, parent, ...others] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = others.slice(9, 13).reduce((sum, count) => sum + Number(count), 0);
    return { pid: Number(pid), parent: Number(parent), ticks };
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') {
      return null;
    }
    throw error;
  }
}

/**
 * Returns the seconds that this process and all that it started have computed so far, those that ended included.
 * Where there is no /proc it knows of this process alone.
 */
export function processorSeconds() {
  if (!fs.existsSync('/proc/self/stat')) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const all = pids.map(readProcess).filter((one) => one !== null);
  const family = new Set([process.pid]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const { pid, parent } of all) {
      if (family.has(parent)) {
        family.add(pid);
      }
    }
  }
  const ticks = all.filter(({ pid }) => family.has(pid)).reduce((sum, one) => sum + one.ticks, 0);
  return ticks / TICKS_PER_SECOND;
}
