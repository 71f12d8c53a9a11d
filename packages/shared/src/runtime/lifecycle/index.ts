export { createShutdown, type Shutdown, type ShutdownGroup } from './create-shutdown.js';
export {
  createWatchdog,
  type WatchdogOptions,
  type WatchdogTimes,
  type WorkerTimes,
} from './create-watchdog.js';
export { explainListenError } from './explain-listen-error.js';
export { notifyServiceManager } from './notify-service-manager.js';
export { refuseOldNode } from './refuse-old-node.js';
export { pause, type RepeatOptions, repeat } from './repeat.js';
export { runProcess } from './run-process.js';
