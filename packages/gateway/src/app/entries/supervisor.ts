/** What a process needs that starts gateways and is not one itself: it stays small, since it serves no requests. */
export { LeaseServer } from '../../money/limits/lease-server.ts';
export type { Drawn, LeaseRequest, LeaseSource } from '../../money/limits/leases.ts';
export { type Figures, lastingFigures, sumLasting } from '../../telemetry/lasting-figures.ts';
export { createLog, type Log } from '../../telemetry/log.ts';
