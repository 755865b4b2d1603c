/** Is a host out of service for a model? Only when it is under every credential. */
import type { Health } from '../../kernel/health.ts';

type Route = { readonly routeKey: string; readonly spares?: readonly Route[] };

export const isOut = ({ routeKey, spares }: Route, health: Health, nowMs: number): boolean =>
  health.outForMs(routeKey, nowMs) > 0 &&
  (spares === undefined || spares.every((spare) => health.outForMs(spare.routeKey, nowMs) > 0));
