/** Is a host out of service for a model? Only when it is under every credential. */
import type { Health, Target } from './ports.ts';

export const isOut = ({ routeKey, spares }: Target, health: Health, nowMs: number): boolean =>
  health.outForMs(routeKey, nowMs) > 0 &&
  (spares === undefined || spares.every((spare) => health.outForMs(spare.routeKey, nowMs) > 0));
