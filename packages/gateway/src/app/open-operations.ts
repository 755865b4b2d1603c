/** Running videos and the services they need; part of the composition root. */

import type { Engine } from '../calls/engine.ts';
import type { Config } from '../config/config.ts';
import { OperationRows } from '../control/operations/rows.ts';
import { UsageRows } from '../control/usage/usage-rows.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Recorder } from '../kernel/record.ts';
import type { Timeouts } from '../kernel/timeouts.ts';
import type { Upstream } from '../kernel/upstream.ts';
import type { KeptBlobs } from '../media/blobs/kept-blobs.ts';
import { recordOf } from '../media/operations/charge.ts';
import type { VideoOperation } from '../media/operations/operation.ts';
import { OperationPoller } from '../media/operations/operation-poller.ts';
import { OperationService, type OperationServiceSettings } from '../media/operations/operation-service.ts';
import type { OnOver, OperationStore } from '../media/operations/ports.ts';
import { keptOf } from '../money/usage/encoded-event.ts';
import { usageEventOf } from '../money/usage/event.ts';
import { OperationJobs } from '../store/jobs/jobs.ts';
import type { Log } from '../telemetry/log.ts';
import { ClipStream } from '../upstream/clip-stream.ts';
import { GuardedFetcher } from '../upstream/media-fetcher.ts';
import type { Backing } from './backing.ts';
import { announcing } from './open-webhooks.ts';

const HOUR_MS = 3_600_000;
/** Time for the largest clip over a slow line. */
const CLIP_MS = 1_200_000;

/** What the operation poller runs on. */
type PollerServices = {
  readonly backing: Backing | undefined;
  readonly blobs: KeptBlobs;
  readonly upstream: Upstream;
  readonly timeouts: Timeouts;
  /** The current one: it changes with a reload. */
  readonly config: Config;
};

export class OpenOperations {
  readonly store: OperationStore;
  readonly service: OperationService;
  readonly #jobs: OperationJobs;
  readonly #announce: OnOver;
  #poller: OperationPoller | undefined;

  private constructor(store: OperationStore, service: OperationService, jobs: OperationJobs, announce: OnOver) {
    this.store = store;
    this.service = service;
    this.#jobs = jobs;
    this.#announce = announce;
  }

  static async open(config: () => Config, backing: Backing, blobs: KeptBlobs, log: Log): Promise<OpenOperations> {
    const { database } = config();
    if (database === undefined) throw new Error('operations need a database');
    const jobs = await OperationJobs.open(database, (error) =>
      log.warn('operation queue unavailable', { problem: String(error) }),
    );
    jobs.isNotified = () => backing.isListening;
    backing.onJob = (message) => jobs.onSent(message);
    const store = await OperationRows.open(backing.store, jobs);
    const service = new OperationService({
      store,
      clock: systemClock,
      settings: () => operationServiceSettings(config()),
      linkTo: (blob, origin) => blobs.linkTo(blob, origin),
      dropBlob: (id) => blobs.store.delete(id),
      onTrouble: (error) => log.warn('video submission failed', { problem: String(error) }),
    });
    return new OpenOperations(store, service, jobs, announcing(backing));
  }

  async start(engine: () => Engine, services: PollerServices, record: Recorder, log: Log): Promise<void> {
    const { backing, blobs, upstream, timeouts } = services;
    if (backing === undefined) return;
    const usage = new UsageRows(backing.store);
    const { config } = services;
    const onTrouble = (what: string, error: unknown): void => log.warn(what, { problem: String(error) });
    this.#poller = new OperationPoller({
      store: this.store,
      wakes: this.#jobs,
      asking: { upstream, clock: systemClock, timeouts, redact: (text) => engine().exchange.redact(text) },
      delivery: {
        fetcher: new ClipStream(
          {
            maxBytes: config.blobs.maxBytes,
            timeoutMs: CLIP_MS,
            silenceMs: config.timeouts.silenceMs,
            connectMs: config.timeouts.connectMs,
            ca: config.upstream.ca,
          },
          new GuardedFetcher(config.media.fetch, config.upstream.ca),
        ),
        clipStore: blobs.store,
        inlineBytes: () => services.config.operations.inlineBytes,
      },
      routeOf: (operation) => routeIn(engine(), operation),
      settings: () => operationServiceSettings(services.config),
      onOver: async (operation) => {
        const entry = recordOf(operation);
        // Written at once: a record that waits in memory would be lost with the process.
        await usage.store([keptOf(usageEventOf(entry, log.redact))]);
        await this.#announce(operation);
        record(entry);
      },
      onTrouble,
    });
    await this.#poller.start();
  }

  async close(): Promise<void> {
    if (this.#poller === undefined) await this.#jobs.stop();
    else await this.#poller.stop();
  }
}

const routeIn = ({ directory }: Engine, { modelId, routeKey }: VideoOperation) =>
  directory.find(modelId)?.videoRoutes?.find((route) => route.routeKey === routeKey);

const operationServiceSettings = ({ operations }: Config): OperationServiceSettings => ({
  submitMs: operations.submitMs,
  // Half as long again for the answer to be stored.
  spans: {
    submitMs: 1.5 * operations.submitMs,
    deadlineMs: operations.deadlineMs,
    keepMs: operations.keepHours * HOUR_MS,
  },
  unknownMs: operations.unknownMs,
  ...(operations.pollEveryMs !== undefined && { pollEveryMs: operations.pollEveryMs }),
});
