/**
 * Operations as requests use them: opened together with their hold, updated with the result of their submission, and
 * read.
 */
import { randomBytes } from 'node:crypto';
import type { Fault } from '@trivium/protocol/canonical';
import type { ReportedOperationState, StoredVideo } from '@trivium/protocol/dialects';
import { type Clock, pause } from '../../kernel/clock.ts';
import { callerScopes } from '../../kernel/tags.ts';
import type { OpenedOperation, Operations, Submission, VideoOrder, VideoPage } from '../../kernel/video.ts';
import { OUT_OF_TOUCH, overBudgetOf, unpricedOf } from '../../money/ledger/refusals.ts';
import { keepRates } from '../../money/prices/rates.ts';
import { VIDEO_METERS } from '../../money/prices/video.ts';
import type { Clip, NewOperation, OperationEvent, VideoOperation } from './operation.ts';
import type { Opening, OperationHold, OperationStore, Spans } from './ports.ts';
import { isOver } from './states.ts';

export type OperationServicePorts = {
  readonly store: OperationStore;
  readonly clock: Clock;
  readonly settings: () => OperationServiceSettings;
  /** The URL of a clip stored as a blob, for a caller who reached us at `origin`. */
  readonly linkTo?: (blob: NonNullable<Clip['blob']>, origin: string) => string;
  /** Takes the bytes of a clip away. */
  readonly dropBlob?: (id: string) => Promise<void>;
  readonly onTrouble: (error: unknown) => void;
};

export type OperationServiceSettings = {
  readonly submitMs: number;
  readonly spans: Spans;
  /** Overrides the interval of the format. */
  readonly pollEveryMs?: number;
  /** How long in ms an operation whose submission was lost is kept waiting. */
  readonly unknownMs: number;
};

const ID_BYTES = 16;
/** How long a request waits for other nodes to return unused funds from their leases. */
const RECALL_PATIENCE_MS = 2_500;
const LOOK_AGAIN_MS = 40;
/** And for another request with the same idempotency key to get the upstream's reply. */
const REPEAT_PATIENCE_MS = 25_000;
const REPEAT_LOOK_MS = 100;
/**
 * How long the result of a submission waits for an unreachable database; with the default `operations.submitMs` shorter
 * than the time after which it counts as lost.
 */
const WRITE_PATIENCE_MS = 8_000;
const WRITE_AGAIN_MS = 250;

const OTHER_BODY: Fault = {
  kind: 'idempotency-mismatch',
  message: 'This Idempotency-Key was used with another request before. Use a new key.',
  field: 'Idempotency-Key',
};

export class OperationService implements Operations {
  readonly #ports: OperationServicePorts;

  constructor(ports: OperationServicePorts) {
    this.#ports = ports;
  }

  get submitMs(): number {
    return this.#ports.settings().submitMs;
  }

  async open(order: VideoOrder): Promise<OpenedOperation> {
    const { clock, settings, store, onTrouble } = this.#ports;
    const startedAtMs = clock.monotonicMs();
    const written = newOperation(order);
    try {
      for (;;) {
        const opening = await store.open(written, holdOf(order), settings().spans);
        const waitedMs = clock.monotonicMs() - startedAtMs;
        const answer = answerTo(opening, written.id, order, waitedMs);
        if (answer !== undefined) return answer;
        await pause(opening.kind === 'repeated' ? REPEAT_LOOK_MS : LOOK_AGAIN_MS);
      }
    } catch (error) {
      onTrouble(error);
      return { kind: 'fault', fault: OUT_OF_TOUCH };
    }
  }

  async submitted(id: string, submission: Submission): Promise<void> {
    const { pollEveryMs, unknownMs } = this.#ports.settings();
    switch (submission.kind) {
      case 'accepted': {
        const { task, cadenceMs } = submission;
        return this.#write(id, { name: 'accepted', task, nextInMs: pollEveryMs ?? cadenceMs });
      }
      case 'refused':
        return this.#write(id, { name: 'refused', fault: submission.fault });
      case 'lost':
        return this.#write(id, { name: 'lost', nextInMs: unknownMs });
    }
  }

  /**
   * The result cannot be obtained again, and writing it twice is harmless. If it cannot be written, the operation
   * counts as lost later.
   */
  async #write(id: string, event: OperationEvent): Promise<void> {
    const { clock, store, onTrouble } = this.#ports;
    const untilMs = clock.monotonicMs() + WRITE_PATIENCE_MS;
    for (;;) {
      try {
        await store.move(id, event);
        return;
      } catch (error) {
        if (clock.monotonicMs() >= untilMs) return onTrouble(error);
      }
      await pause(WRITE_AGAIN_MS);
    }
  }

  async find(accountId: string, id: string, origin: string): Promise<StoredVideo | undefined> {
    const operation = await this.#ports.store.find(accountId, id);
    return operation && this.#shown(operation, origin);
  }

  async list(accountId: string, page: VideoPage, origin: string): Promise<readonly StoredVideo[]> {
    const { limit, after, isAscending } = page;
    const asked = { limit: limit + 1, isAscending, ...(after !== undefined && { before: after }) };
    const found = await this.#ports.store.list(accountId, asked);
    return found.map((operation) => this.#shown(operation, origin));
  }

  async clip(accountId: string, id: string): ReturnType<Operations['clip']> {
    const operation = await this.#ports.store.find(accountId, id);
    const clip = operation?.result?.clips[0];
    if (operation === undefined) return undefined;
    const { state, model, routeKey, task, ordered } = operation;
    const { seconds, size } = ordered;
    return {
      isOver: isOver(state),
      ...(clip !== undefined && { clip }),
      ...(task !== undefined && { source: { id, model, routeKey, task, seconds, size } }),
    };
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const { store, dropBlob } = this.#ports;
    const operation = await store.find(accountId, id);
    if (operation !== undefined && !isOver(operation.state)) return false;
    await store.remove(accountId, id);
    await Promise.all((operation?.result?.clips ?? []).map(async ({ blob }) => blob && dropBlob?.(blob.id)));
    return true;
  }

  #shown(operation: VideoOperation, origin: string): StoredVideo {
    const { id, model, createdAtMs, finishedAtMs, expiresAtMs, ordered } = operation;
    const { seconds, size, remixOf } = ordered;
    const reported = this.#stateOf(operation, origin);
    return { id, model, createdAtMs, finishedAtMs, expiresAtMs, seconds, size, remixOf, reported };
  }

  #stateOf({ percent, result, fault }: VideoOperation, origin: string): ReportedOperationState {
    if (fault !== undefined) return { state: 'failed', fault };
    if (result === undefined) return { state: 'waiting', ...(percent !== undefined && { percent }) };
    const videos = result.clips.map(({ mimeType, base64, blob, url }) => {
      const link = blob === undefined ? url : this.#ports.linkTo?.(blob, origin);
      return { mimeType, ...(base64 !== undefined && { base64 }), ...(link !== undefined && { url: link }) };
    });
    return { state: 'done', videos, blocked: result.blocked };
  }
}

/** Undefined: a retry may have another result. */
function answerTo(opening: Opening, id: string, order: VideoOrder, waitedMs: number): OpenedOperation | undefined {
  switch (opening.kind) {
    case 'opened':
      return { kind: 'opened', id };
    case 'repeated': {
      const { operation, isSame } = opening;
      if (!isSame) return { kind: 'fault', fault: OTHER_BODY };
      const isTold = operation.state !== 'submitting' || isOver(operation.state);
      if (!isTold && waitedMs <= REPEAT_PATIENCE_MS) return undefined;
      const { id: earlier, provider, ordered } = operation;
      return { kind: 'repeated', id: earlier, provider, losses: ordered.losses };
    }
    case 'unpriced':
      return { kind: 'fault', fault: unpricedOf(order.unpriced) };
    case 'too-poor':
      if (opening.recallable && waitedMs < RECALL_PATIENCE_MS) return undefined;
      return { kind: 'fault', fault: overBudgetOf(opening.scope) };
  }
}

/** Does not start with a dash: a command line would take `-id` for an option. */
export const newOperationId = (): string => randomBytes(ID_BYTES).toString('base64url').replace(/^-/, 'A');

const newOperation = (order: VideoOrder): NewOperation => ({
  id: newOperationId(),
  accountId: order.caller.accountId,
  keyId: order.caller.keyId,
  requestId: order.requestId,
  protocol: order.protocol,
  model: order.model,
  modelId: order.route.modelId,
  provider: order.route.provider,
  dialect: order.route.dialect.id,
  routeKey: order.route.routeKey,
  ordered: {
    target: order.route.target,
    count: order.count,
    ...(order.seconds !== undefined && { seconds: order.seconds }),
    ...(order.tokens !== undefined && { tokens: order.tokens }),
    ...(order.size !== undefined && { size: order.size }),
    ...(order.source !== undefined && { remixOf: order.source.id }),
    rates: keepRates(order.rates, VIDEO_METERS),
    losses: order.losses,
    ...(order.tags !== undefined && { tags: order.tags }),
  },
  receivedAtMs: order.receivedAtMs,
  ...(order.idempotencyKey !== undefined && { idempotencyKey: order.idempotencyKey }),
  content: order.content,
});

const holdOf = ({ holdNanoUsd, rates, unpriced, caller, tags }: VideoOrder): OperationHold => ({
  nanoUsd: holdNanoUsd,
  priceVersion: rates.version,
  scopes: ['account', ...callerScopes(caller, tags)],
  unpriced,
});
