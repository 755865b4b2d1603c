/**
 * A job at an upstream that makes images in its own time, played as one exchange: handed in, asked after until it is done,
 * and answered with what the last question got. Once the job is taken no failure says that nothing was made.
 */
import { type Fault, isJsonObject, type Json, type JsonObject } from '@trivium/protocol/canonical';
import type { ImageJob, JobPlace } from '@trivium/protocol/dialects';
import type { AttemptPorts } from './attempt-ports.ts';
import { answersWithImages } from './image-pump.ts';
import type { Target, UpstreamExchange, UpstreamListener, UpstreamRequest } from './ports.ts';
import type { Watched } from './pulse.ts';
import { ABSENT } from './roster.ts';

type Ports = Pick<AttemptPorts, 'upstream' | 'clock' | 'pulse' | 'limits'>;

const UNREADABLE: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent an answer that cannot be read.',
};
const LOST: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider lost track of the image it was making.',
};
/** Questions that may fail in a row: the job runs on all the same. */
const MAX_FAILED_QUESTIONS = 3;
/** In place of the images of a job that is done: it came to nothing, for a reason that is the caller's. */
const NO_RESULT: ReadonlySet<number> = new Set([400, 422]);

/** Most hosts answer at once; only those with jobs need more. */
export function sendTo(
  target: Target,
  request: UpstreamRequest,
  listener: UpstreamListener,
  ports: Ports,
): UpstreamExchange {
  const job = answersWithImages(target) ? target.dialect.client.job : undefined;
  return job === undefined
    ? ports.upstream.send(request, listener)
    : new PolledExchange(target, request, listener, ports, job);
}

class PolledExchange implements UpstreamExchange, UpstreamListener, Watched {
  seat = ABSENT;
  readonly #target: Target;
  readonly #request: UpstreamRequest;
  readonly #listener: UpstreamListener;
  readonly #ports: Ports;
  readonly #job: ImageJob;
  #exchange: UpstreamExchange;
  #status = 0;
  #header: (name: string) => string | undefined = () => undefined;
  #body = '';
  /** Where to ask; undefined until the job is taken. */
  #place: JobPlace | undefined;
  /** The job is done, and its images lie elsewhere. */
  #isFetching = false;
  #failedQuestions = 0;
  #askAtMs = 0;
  #over = false;

  constructor(target: Target, request: UpstreamRequest, listener: UpstreamListener, ports: Ports, job: ImageJob) {
    this.#target = target;
    this.#request = request;
    this.#listener = listener;
    this.#ports = ports;
    this.#job = job;
    this.#exchange = ports.upstream.send(request, this);
  }

  pause(): void {}
  resume(): void {}

  abort(): void {
    if (this.#over) return;
    this.#close();
    this.#exchange.abort();
  }

  onHead(status: number, header: (name: string) => string | undefined): void {
    this.#status = status;
    this.#header = header;
    this.#body = '';
  }

  onText(piece: string): void {
    this.#body += piece;
    if (this.#body.length <= this.#ports.limits.answerLength) return;
    this.#exchange.abort();
    this.#fail(UNREADABLE);
  }

  onEnd(): void {
    if (this.#over) return;
    if (this.#place === undefined) this.#taken();
    else this.#heard();
  }

  onFail(fault: Fault, cause: unknown): void {
    if (this.#over) return;
    if (this.#place !== undefined && ++this.#failedQuestions < MAX_FAILED_QUESTIONS) {
      this.#askLater();
      return;
    }
    const { unbegun: _unbegun, ...rest } = fault;
    this.#fail(this.#place === undefined ? fault : rest, cause);
  }

  beat(nowMs: number): void {
    if (nowMs < this.#askAtMs) return;
    this.#ports.pulse.unwatch(this);
    this.#ask();
  }

  /** The first answer: either a job, or the upstream's refusal as it stands. */
  #taken(): void {
    if (!this.#isSuccess()) {
      this.#pass();
      return;
    }
    const body = this.#parsed();
    const begun = body === undefined ? { fault: UNREADABLE } : this.#job.begun(body, this.#target.facts);
    if ('fault' in begun) this.#fail(begun.fault);
    else {
      this.#place = begun;
      this.#askLater();
    }
  }

  #heard(): void {
    if (this.#isFetching && NO_RESULT.has(this.#status)) {
      this.#pass();
      return;
    }
    const body = this.#isSuccess() ? this.#parsed() : undefined;
    if (body === undefined) {
      if (this.#status === 404) this.#fail(LOST);
      else this.onFail(UNREADABLE, undefined);
      return;
    }
    this.#failedQuestions = 0;
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

  #askLater(): void {
    this.#askAtMs = this.#ports.clock.monotonicMs() + this.#job.pollEveryMs;
    this.#ports.pulse.watch(this);
  }

  /** Always at the host the job was handed in at: a path, never an address from an answer. */
  #ask(): void {
    const { origin, headers } = this.#request;
    const below = (this.#isFetching ? this.#place?.resultPath : this.#place?.path) ?? '';
    const path = (this.#target.basePath ?? '') + below;
    const question = { origin, path, headers, body: '', method: 'GET' } as const;
    this.#exchange = this.#ports.upstream.send(question, this);
  }

  #pass(): void {
    this.#close();
    this.#listener.onHead(this.#status, this.#header);
    this.#listener.onText(this.#body);
    this.#listener.onEnd();
  }

  #fail(fault: Fault, cause?: unknown): void {
    this.#close();
    this.#listener.onFail(fault, cause);
  }

  #parsed(): JsonObject | undefined {
    try {
      const body: Json = JSON.parse(this.#body);
      return isJsonObject(body) ? body : undefined;
    } catch {
      return undefined;
    }
  }

  #close(): void {
    this.#over = true;
    this.#ports.pulse.unwatch(this);
  }
}
