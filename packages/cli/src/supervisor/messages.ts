// The IPC messages between supervisor and workers.

import type { Drawn, Figures, LeaseRequest } from '@trivium/gateway/supervisor';
import type { ReloadedSettings } from './settings.ts';

export type DrainOrder = { readonly handover: boolean; readonly noticeMs: number };

export type LeasesWanted = {
  readonly kind: 'slices-wanted';
  readonly id: number;
  readonly process: string;
  readonly asks: readonly LeaseRequest[];
};

export type FromWorker =
  | { readonly kind: 'ready' }
  /** This worker got SIGTERM and asks for a replacement before it drains. */
  | { readonly kind: 'wants-replacement' }
  | { readonly kind: 'own-figures'; readonly figures: Figures }
  | { readonly kind: 'all-figures-wanted' }
  | { readonly kind: 'alive'; readonly isDebugged: boolean }
  /** The configuration file has changed: the supervisor does not read it. */
  | { readonly kind: 'reloaded'; readonly settings: ReloadedSettings }
  | LeasesWanted;

export type ToWorker =
  | ({ readonly kind: 'drain' } & DrainOrder)
  | { readonly kind: 'own-figures-wanted' }
  /** `text` are the supervisor's own. */
  | { readonly kind: 'all-figures'; readonly ofWorkers: readonly Figures[]; readonly text: string }
  | { readonly kind: 'slices'; readonly id: number; readonly drawn: Drawn };

const KINDS: ReadonlySet<unknown> = new Set<(FromWorker | ToWorker)['kind']>([
  'ready',
  'wants-replacement',
  'own-figures',
  'all-figures-wanted',
  'drain',
  'own-figures-wanted',
  'all-figures',
  'slices-wanted',
  'slices',
  'alive',
  'reloaded',
]);

/** The channel also carries messages of Node and libraries. Both ends are this program, so the kind is all that is checked. */
const isOurs = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'kind' in message && KINDS.has(message.kind);

export const isFromWorker = (message: unknown): message is FromWorker => isOurs(message);
export const isToWorker = (message: unknown): message is ToWorker => isOurs(message);
