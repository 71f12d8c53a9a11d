import type { ReportedWorker } from '@image-gateway/shared/db';

type CandidateReport = NonNullable<ReportedWorker['report']['candidates']>[number];

/** Presents the state of a candidate in one worker. */
export function presentCandidateState({ provider, model, circuit, pausedMs, ...rest }: CandidateReport) {
  return {
    provider,
    model,
    circuit,
    paused_seconds: Math.ceil(Math.max(0, ...Object.values(pausedMs)) / 1000),
    set_aside: rest.setAside || rest.keysSetAside.length > 0,
    running: rest.running,
  };
}
