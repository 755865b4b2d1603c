/** What a process needs that starts gateways and is none: it stays small, since it holds no request. */
export { requireFree } from '../http/listening.ts';
export { LeaseServer } from '../limits/lease-server.ts';
export type { Drawn, LeaseRequest, LeaseSource } from '../limits/leases.ts';
export { type Figures, lastingFigures, sumLasting } from '../telemetry/lasting-figures.ts';
export { createLog, type Log } from '../telemetry/log.ts';
