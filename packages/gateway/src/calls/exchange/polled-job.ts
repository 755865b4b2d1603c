/**
 * An asynchronous job at an upstream, run as one exchange: submitted (where the host wants it, in two requests: a file,
 * and what is to be done with it), polled until it is done, and answered with the body of the last poll. Once the job is accepted no failure proves that nothing was executed, and a poll that
 * fails temporarily is repeated as long as the request has time.
 */
import { type Fault, faultOf, isJsonObject, type Json, type JsonObject } from '@trivium/protocol/canonical';
import type { HostJob, JobPlace } from '@trivium/protocol/dialects';
import { GatheredText } from '@trivium/protocol/framing';
import type { Target } from '../../kernel/target.ts';
import { ABSENT, type Timed } from '../../kernel/timeouts.ts';
import {
  type HowFailed,
  hasLapsed,
  type UpstreamExchange,
  type UpstreamListener,
  type UpstreamRequest,
} from '../../kernel/upstream.ts';
import { backOffMs } from '../../models/routing/next.ts';
import type { AttemptPorts } from './attempt-ports.ts';
import { retryAfterMs } from './upstream-error.ts';

export type PollPorts = Pick<AttemptPorts, 'upstream' | 'clock' | 'random' | 'timeouts' | 'limits'>;

const UNREADABLE: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent an answer that cannot be read.',
};
const LOST: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider lost track of what it was making.',
};
/** For a finished job: it is unknown whether the fetch failed or the job has no result. */
const MAX_FAILED_FETCHES = 5;
/** The pause before the first poll; each next one is twice as long, up to the host's own. Quick images are seen sooner. */
const FIRST_PAUSE_MS = 200;
/** The longest pause between two polls, unless the host asks for a longer one. */
const MAX_PAUSE_MS = 15_000;
/** A poll that receives nothing for this long has failed. */
const MAX_SILENCE_MS = 30_000;
/** Temporary statuses besides 5xx: the next poll may succeed. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);
/** Statuses in place of the images of a finished job: it failed, for a reason that is the caller's. */
const NO_RESULT: ReadonlySet<number> = new Set([400, 422]);

export class PolledExchange implements UpstreamExchange, UpstreamListener, Timed {
  index = ABSENT;
  readonly #target: Target;
  readonly #origin: string;
  readonly #headers: readonly string[];
  readonly #listener: UpstreamListener;
  readonly #ports: PollPorts;
  readonly #job: HostJob;
  /** Sent once the first answer has come; undefined: it was sent, or there is none. */
  #order: JsonObject | undefined;
  #exchange: UpstreamExchange;
  #status = 0;
  #header: (name: string) => string | undefined = () => undefined;
  #body = new GatheredText();
  /** What to poll; undefined until the job is accepted. */
  #place: JobPlace | undefined;
  /** The job is done, and its images are at another path. */
  #isFetching = false;
  #failedPolls = 0;
  #polls = 0;
  /** Signature of the poll under way; undefined if the host needs none. */
  #signed: readonly string[] | undefined;
  /** Undefined while a poll is under way. */
  #askAtMs: number | undefined;
  #activeAtMs = 0;
  #over = false;

  constructor(
    target: Target,
    request: UpstreamRequest,
    unsigned: readonly string[],
    listener: UpstreamListener,
    ports: PollPorts,
    job: HostJob,
    order: JsonObject | undefined,
  ) {
    this.#target = target;
    this.#origin = request.origin;
    this.#headers = unsigned;
    this.#listener = listener;
    this.#ports = ports;
    this.#job = job;
    this.#order = job.order === undefined ? undefined : (order ?? {});
    this.#exchange = ports.upstream.send(request, this);
  }

  pause(): void {}
  resume(): void {}

  drain(): void {
    this.abort();
  }

  abort(): void {
    if (this.#over) return;
    this.#close();
    this.#exchange.abort();
  }

  /** Reported for the submission only: the polls after it are part of the waiting. A file alone is no work. */
  onConnected(): void {
    if (this.#place === undefined) this.#listener.onConnected?.();
  }

  onSent(): void {
    if (this.#place === undefined && this.#order === undefined) this.#listener.onSent?.();
  }

  onHead(status: number, header: (name: string) => string | undefined): void {
    this.#activeAtMs = this.#ports.clock.monotonicMs();
    this.#status = status;
    this.#header = header;
    this.#body = new GatheredText();
  }

  onText(piece: string): void {
    this.#activeAtMs = this.#ports.clock.monotonicMs();
    this.#body.push(piece);
    if (this.#body.length <= this.#ports.limits.answerLength) return;
    this.#exchange.abort();
    this.#fail(UNREADABLE);
  }

  onEnd(): void {
    if (this.#over) return;
    if (this.#place === undefined) this.#taken();
    else this.#polled();
  }

  onFail(fault: Fault, cause: unknown, how?: HowFailed): void {
    if (this.#over) return;
    if (this.#place === undefined) this.#fail(fault, cause, how);
    else this.#askAgain();
  }

  tick(nowMs: number): void {
    if (this.#askAtMs !== undefined) {
      if (nowMs >= this.#askAtMs) this.#ask();
    } else if (nowMs - this.#activeAtMs > MAX_SILENCE_MS) {
      this.#exchange.abort();
      this.#askAgain();
    }
  }

  /** The first answer: either a job, or the upstream's error as it is. */
  #taken(): void {
    if (!this.#isSuccess()) {
      this.#pass();
      return;
    }
    const body = this.#parsed();
    if (this.#order !== undefined) {
      this.#bring(body);
      return;
    }
    const begun = body === undefined ? { fault: UNREADABLE } : this.#job.begun(body, this.#target.facts);
    if ('fault' in begun) this.#fail(begun.fault);
    else {
      this.#place = begun;
      this.#askLater();
    }
  }

  /** The file is there: now the work is ordered. */
  #bring(body: JsonObject | undefined): void {
    const { order } = this.#job;
    const asked = body && order?.body(this.#order ?? {}, body);
    this.#order = undefined;
    if (asked === undefined || order === undefined) this.#fail(UNREADABLE);
    else this.#request(order.path, JSON.stringify(asked));
  }

  #polled(): void {
    if (this.#isFetching && NO_RESULT.has(this.#status)) {
      this.#pass();
      return;
    }
    const body = this.#isSuccess() ? this.#parsed() : undefined;
    if (body === undefined) {
      const nowMs = this.#ports.clock.nowMs();
      if (this.#mayPass())
        this.#askAgain(retryAfterMs(this.#header('retry-after'), this.#header('retry-after-ms'), nowMs));
      else this.#fail(LOST, new Error(`the poll of a job was answered with status ${this.#status}`));
      return;
    }
    this.#failedPolls = 0;
    if (this.#isFetching) this.#pass();
    else if (this.#job.read(body) === 'waiting') this.#askLater();
    else if (this.#place?.resultPath === undefined) this.#pass();
    else {
      this.#isFetching = true;
      this.#ask();
    }
  }

  #isSuccess(): boolean {
    return this.#status >= 200 && this.#status <= 299;
  }

  /** A 2xx that is not JSON comes from some proxy, and says nothing about the job. */
  #mayPass(): boolean {
    return this.#isSuccess() || this.#status >= 500 || PASSING.has(this.#status) || this.#hasLapsed();
  }

  #hasLapsed(): boolean {
    return hasLapsed(this.#status, this.#target.signer, this.#signed);
  }

  /** While the job runs, repeated as long as the request has time: the job may have been paid for. */
  #askAgain(waitMs = 0): void {
    if (++this.#failedPolls >= MAX_FAILED_FETCHES && this.#isFetching) {
      this.#fail(UNREADABLE);
      return;
    }
    const { pollEveryMs } = this.#job;
    const rules = { backoffMs: pollEveryMs, maxWaitMs: MAX_PAUSE_MS };
    const pauseMs = backOffMs(this.#failedPolls, rules, this.#ports.random());
    this.#askIn(Math.max(pollEveryMs, pauseMs, waitMs));
  }

  #askLater(): void {
    this.#askIn(Math.min(this.#job.pollEveryMs, FIRST_PAUSE_MS * 2 ** this.#polls));
  }

  #askIn(ms: number): void {
    this.#askAtMs = this.#ports.clock.monotonicMs() + ms;
    this.#ports.timeouts.watch(this);
  }

  /** Always at the host the job was submitted to: a path, never a URL from an answer. */
  #ask(): void {
    this.#askAtMs = undefined;
    this.#activeAtMs = this.#ports.clock.monotonicMs();
    const below = (this.#isFetching ? this.#place?.resultPath : this.#place?.path) ?? '';
    this.#request(below, '', 'GET');
  }

  #request(below: string, body: string, method?: 'GET'): void {
    const path = (this.#target.basePath ?? '') + below;
    const question = { origin: this.#origin, path, headers: this.#headers, body, ...(method && { method }) };
    const poll = ++this.#polls;
    try {
      const signed = this.#target.signer?.sign(question);
      if (!(signed instanceof Promise)) this.#send(question, signed, poll);
      else
        signed
          .then((headers) => this.#send(question, headers, poll))
          .catch((error: unknown) => {
            if (this.#isUnderWay(poll)) this.#unsigned(error);
          });
    } catch (error) {
      this.#unsigned(error);
    }
  }

  #unsigned(error: unknown): void {
    if (this.#place === undefined) this.#fail(faultOf(error), error, 'unsent');
    else this.#askAgain();
  }

  #send(question: UpstreamRequest, signed: readonly string[] | undefined, poll: number): void {
    if (!this.#isUnderWay(poll)) return;
    this.#signed = signed;
    const headers = signed === undefined ? question.headers : [...question.headers, ...signed];
    this.#exchange = this.#ports.upstream.send({ ...question, headers }, this);
  }

  /** A poll may have been given up, or the whole request, while it was being signed. */
  #isUnderWay(poll: number): boolean {
    return !this.#over && poll === this.#polls && this.#askAtMs === undefined;
  }

  #pass(): void {
    this.#close();
    this.#listener.onHead(this.#status, this.#header);
    this.#listener.onText(this.#body.take());
    this.#listener.onEnd();
  }

  #fail(fault: Fault, cause?: unknown, how?: HowFailed): void {
    this.#close();
    this.#listener.onFail(fault, cause, how);
  }

  #parsed(): JsonObject | undefined {
    try {
      const body: Json = JSON.parse(this.#body.text());
      return isJsonObject(body) ? body : undefined;
    } catch {
      return undefined;
    }
  }

  #close(): void {
    this.#over = true;
    this.#ports.timeouts.unwatch(this);
  }
}
