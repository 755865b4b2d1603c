/**
 * Polls operations in the background: wakes up when one is due, on any node, polls the host once, and stores the
 * result. A poll may be repeated, interrupted or run twice at any point; only what is stored counts.
 */
import type { Fault, VideoProgress } from '@trivium/protocol/canonical';
import type { AskPorts } from '../../calls/exchange/request-json.ts';
import { every } from '../../kernel/clock.ts';
import type { VideoRoute } from '../../kernel/video.ts';
import { type Answer, askHost } from './ask-host.ts';
import { billOf } from './charge.ts';
import { type DeliveryPorts, deliver } from './deliver.ts';
import type { OperationEvent, VideoOperation } from './operation.ts';
import type { OnOver, OperationStore, Wakes } from './ports.ts';
import { isOver } from './states.ts';

export type WatchPorts = {
  readonly store: OperationStore;
  readonly wakes: Wakes;
  readonly asking: AskPorts;
  readonly delivery: DeliveryPorts;
  /** The host with the same credential; undefined if the operator has removed it. */
  readonly routeOf: (operation: VideoOperation) => VideoRoute | undefined;
  readonly settings: () => { readonly pollEveryMs?: number; readonly unknownMs: number };
  readonly onOver: OnOver;
  readonly onTrouble: (what: string, error: unknown) => void;
};

/** A host that does not answer is polled less and less often; this is the longest pause. */
const LONGEST_PAUSE_MS = 120_000;
const WITHOUT_ROUTE_MS = 15_000;
/** A task counts as lost once its host has denied it this often without progress in between. */
const MAX_DENIALS = 3;
/** An operation this long past its time was dropped by the queue. */
const OVERDUE_MS = 60_000;
const ROUND_MS = 60_000;

const LATE: Fault = { kind: 'upstream-timeout', message: 'The video was not finished in time.' };
const LOST: Fault = { kind: 'upstream-broken', message: 'The upstream provider lost track of the video.' };
const EMPTY: Fault = { kind: 'upstream-broken', message: 'The upstream provider finished without a video.' };
const UNKNOWN: Fault = {
  kind: 'upstream-broken',
  message: 'It is not known whether the upstream provider accepted the request. Nothing is charged.',
};

export class OperationPoller {
  readonly #ports: WatchPorts;
  #stopRounds: (() => void) | undefined;

  constructor(ports: WatchPorts) {
    this.#ports = ports;
  }

  async start(): Promise<void> {
    const { wakes, store, onTrouble } = this.#ports;
    await wakes.work((id) => this.look(id));
    const round = async (): Promise<void> => {
      await store.rouse(OVERDUE_MS);
      await store.forget();
    };
    this.#stopRounds = every(ROUND_MS, round, (error) => onTrouble('operation poll failed', error));
  }

  async stop(): Promise<void> {
    this.#stopRounds?.();
    await this.#ports.wakes.stop();
  }

  async look(id: string): Promise<void> {
    const { store, onOver, onTrouble } = this.#ports;
    try {
      const operation = await store.read(id);
      if (operation === undefined) return;
      if (isOver(operation.state)) await onOver(operation);
      // Rescheduling an operation also schedules another wake-up.
      else if (operation.isDue) await this.#step(operation);
    } catch (error) {
      onTrouble('operation update failed', error);
      throw error;
    }
  }

  async #step(operation: VideoOperation): Promise<void> {
    const event = await this.#eventFor(operation);
    await this.#ports.store.move(operation.id, event);
  }

  #eventFor(operation: VideoOperation): OperationEvent | Promise<OperationEvent> {
    // The process that was to submit it has died, or has waited in vain. It is never sent again.
    if (operation.state === 'submitting') return { name: 'lost', nextInMs: this.#ports.settings().unknownMs };
    if (operation.state === 'unknown')
      return { name: 'given-up', fault: UNKNOWN, note: 'no answer to the submission; the hold was given back' };
    if (operation.isLate) return { name: 'failed', fault: LATE, note: 'past its deadline' };
    const route = this.#ports.routeOf(operation);
    if (route === undefined) return again(operation, WITHOUT_ROUTE_MS, withoutProgress(operation));
    return this.#ask(operation, route);
  }

  async #ask(operation: VideoOperation, route: VideoRoute): Promise<OperationEvent> {
    const { asking, settings, onTrouble } = this.#ports;
    const everyMs = settings().pollEveryMs ?? route.dialect.cadenceMs;
    const answer = await askHost(operation, route, asking);
    const polls = withoutProgress(operation, answer);
    if (polls.denials >= MAX_DENIALS) return { name: 'failed', fault: LOST, note: 'the host knows no such task' };
    if (answer.kind !== 'progress') return again(operation, pauseMs(everyMs, polls, answer), polls);
    try {
      return await this.#onProgress(operation, route, answer.progress, everyMs);
    } catch (error) {
      onTrouble('video download failed', error);
      return again(operation, pauseMs(everyMs, polls, answer), polls);
    }
  }

  async #onProgress(
    operation: VideoOperation,
    route: VideoRoute,
    progress: VideoProgress,
    everyMs: number,
  ): Promise<OperationEvent> {
    switch (progress.state) {
      case 'waiting':
        return again(operation, everyMs, { unanswered: 0, denials: 0 }, progress.percent);
      case 'failed':
        return { name: 'failed', fault: progress.fault };
      case 'done': {
        const { videos, blocked } = progress;
        if (videos.length + blocked.length === 0) return { name: 'failed', fault: EMPTY };
        const clips = await deliver(operation, route, videos, this.#ports.delivery);
        return { name: 'finished', result: { clips, blocked, bill: billOf(operation.ordered, progress) } };
      }
    }
  }
}

type PollCounts = Pick<VideoOperation, 'unanswered' | 'denials'>;

/** A failure between two denials neither counts as one nor takes one back. */
const withoutProgress = ({ unanswered, denials }: PollCounts, answer?: Answer): PollCounts => ({
  unanswered: unanswered + 1,
  denials: answer?.kind === 'no-such-task' ? denials + 1 : denials,
});

const again = ({ nextAt }: VideoOperation, nextInMs: number, polls: PollCounts, percent?: number): OperationEvent => ({
  name: 'waited',
  seenNextAt: nextAt,
  ...polls,
  nextInMs,
  ...(percent !== undefined && { percent: Math.round(Math.min(100, Math.max(0, percent))) }),
});

function pauseMs(everyMs: number, { unanswered }: PollCounts, answer: Answer): number {
  const asked = answer.kind === 'silence' ? (answer.retryAfterMs ?? 0) : 0;
  const doubled = everyMs * 2 ** Math.min(unanswered - 1, 16);
  return Math.min(Math.max(everyMs, LONGEST_PAUSE_MS), Math.max(asked, doubled));
}
