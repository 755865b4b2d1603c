/**
 * The real engine on ports that count every call made of them and fail at one of them, chosen by number.
 * Running once without a failure tells how many numbers there are, so no port call can be forgotten.
 */
import { findDialect } from '@trivium/protocol/dialects';
import { DEFAULT_JSON_BOUNDS } from '@trivium/protocol/framing';
import type { Engine } from '../../packages/gateway/src/calls/engine.ts';
import { handle } from '../../packages/gateway/src/calls/pipeline.ts';
import type { BodyRoom, Hold, Place } from '../../packages/gateway/src/kernel/admission.ts';
import type { CallerPort } from '../../packages/gateway/src/kernel/caller-port.ts';
import type { Health } from '../../packages/gateway/src/kernel/health.ts';
import type { RequestRecord } from '../../packages/gateway/src/kernel/record.ts';
import { Timeouts } from '../../packages/gateway/src/kernel/timeouts.ts';
import type { UpstreamListener } from '../../packages/gateway/src/kernel/upstream.ts';
import { CacheAffinity } from '../../packages/gateway/src/models/routing/cache-affinity.ts';
import { LatencyStatistics } from '../../packages/gateway/src/models/routing/latency-statistics.ts';
import { factsOf, targetOf } from '../laws/fixture-set.ts';

export type Mishap = 'throw' | 'hang-up' | 'none';

export type Script = {
  readonly body: string;
  readonly status: number;
  readonly pieces: readonly string[];
  readonly ledger: 'sync' | 'async';
  /** Is the caller's socket full after every write? */
  readonly slowCaller?: boolean;
  /** The upstream falls silent after its pieces: then comes a sign of life to the caller, and the caller leaves. */
  readonly endless?: boolean;
  /** Further hosts of the model, and what each of them says when it is asked. */
  readonly others?: readonly Pick<Script, 'status' | 'pieces'>[];
};

export type Outcome = {
  readonly calls: readonly string[];
  readonly openHolds: number;
  readonly takenSlots: number;
  readonly openExchanges: number;
  readonly watched: number;
  readonly admitted: boolean;
  readonly closings: number;
  readonly records: readonly RequestRecord[];
  readonly written: string;
  readonly finished: boolean;
  readonly cut: boolean;
  readonly error: unknown;
};

const CHAT = findDialect('openai-chat');
const CALLER = { accountId: 'a', keyId: 'k', strict: false, mayUse: () => true };
/** More turns of the event loop than any script has steps. */
const MAX_TURNS = 60;
/** Long enough for a sign of life to the caller, too short for an upstream to be given up. */
const AFTER_A_WHILE_MS = 10_000;
export const MAX_ATTEMPTS = 3;
const LONG_MS = 2 * AFTER_A_WHILE_MS;
const PATIENT = { firstByteMs: LONG_MS, silenceMs: LONG_MS, idleMs: LONG_MS, totalMs: LONG_MS };

class Rig {
  readonly calls: string[] = [];
  readonly records: RequestRecord[] = [];
  openHolds = 0;
  takenSlots = 0;
  admitted = false;
  closings = 0;
  written = '';
  finished = false;
  cut = false;
  readonly exchanges = new Set<object>();
  readonly timeouts: Timeouts;
  beat: () => void = () => {};
  readonly reply: CallerPort & { hangUp(): void };
  readonly #at: number;
  readonly #mishap: Mishap;
  readonly #script: Script;
  #sent = 0;

  constructor(script: Script, at: number, mishap: Mishap) {
    this.#script = script;
    this.#at = at;
    this.#mishap = mishap;
    const start = (beat: () => void): (() => void) => {
      this.beat = beat;
      return () => {};
    };
    this.timeouts = new Timeouts({ start, nowMs: () => AFTER_A_WHILE_MS }, 1000);
    this.reply = this.#reply();
  }

  /** Every port call passes here, by name. */
  trip(name: string): void {
    this.calls.push(name);
    if (this.calls.length - 1 !== this.#at) return;
    if (this.#mishap === 'hang-up') this.reply.hangUp();
    if (this.#mishap === 'throw') throw new Error(`injected at ${name}`);
  }

  #reply(): CallerPort & { hangUp(): void } {
    const { trip } = this.#bound;
    let onGone: (() => void) | undefined;
    let onDrain: (() => void) | undefined;
    let over = false;
    const rig = this;
    return {
      gone: false,
      address: '',
      hangUp() {
        if (over || this.gone) return;
        (this as { gone: boolean }).gone = true;
        onGone?.();
      },
      onGone(listener) {
        trip('reply.onGone');
        onGone = listener;
      },
      onDrain(listener) {
        trip('reply.onDrain');
        onDrain = listener;
      },
      answer(_status, _headers, body) {
        trip('reply.answer');
        rig.written += body;
        over = rig.finished = true;
      },
      open: () => trip('reply.open'),
      write(text) {
        trip('reply.write');
        rig.written += text;
        if (rig.#script.slowCaller !== true) return true;
        setImmediate(() => onDrain?.());
        return false;
      },
      finish() {
        trip('reply.finish');
        over = rig.finished = true;
      },
      cut() {
        over = rig.cut = true;
        trip('reply.cut');
      },
    };
  }

  get #bound(): { trip: (name: string) => void } {
    return { trip: (name) => this.trip(name) };
  }

  /** Given back as often as anybody likes, and counted once. */
  place(): Place {
    this.trip('limits.enter');
    this.takenSlots++;
    let isTaken = true;
    return {
      accountId: CALLER.accountId,
      reserve: () => {
        this.trip('place.reserve');
        return undefined;
      },
      release: () => {
        if (!isTaken) return;
        isTaken = false;
        this.takenSlots--;
        this.trip('place.release');
      },
    };
  }

  /** Counts an end even where that end then fails: what is asked is whether it was reached, once. */
  hold(): Hold {
    this.trip('ledger.hold');
    this.openHolds++;
    this.admitted = true;
    const end = (name: string) => (): void => {
      this.openHolds--;
      this.closings++;
      this.trip(name);
    };
    return { id: 'h', settle: end('hold.settle'), release: end('hold.release') };
  }

  /** Keeps the promise of the port: what a listener throws ends the exchange and comes back as a failure. */
  send(listener: UpstreamListener): { pause(): void; resume(): void; drain(): void; abort(): void } {
    this.trip('upstream.send');
    const { status, pieces } = [this.#script, ...(this.#script.others ?? [])][this.#sent++] ?? this.#script;
    let paused = false;
    const exchange = {
      pause: () => {
        this.trip('exchange.pause');
        paused = true;
      },
      resume: () => {
        this.trip('exchange.resume');
        paused = false;
      },
      drain: () => void this.exchanges.delete(exchange),
      abort: () => void this.exchanges.delete(exchange),
    };
    this.exchanges.add(exchange);
    const last: [string, () => void][] = this.#script.endless === true ? [] : [['onEnd', () => listener.onEnd()]];
    const steps: [name: string, run: () => void][] = [
      ['onHead', () => listener.onHead(status, () => undefined)],
      ...pieces.map((piece): [string, () => void] => ['onText', () => listener.onText(piece)]),
      ...last,
    ];
    const next = (): void => {
      if (!this.exchanges.has(exchange)) return;
      if (paused) return void setImmediate(next);
      const step = steps.shift();
      if (step === undefined) return;
      const [name, run] = step;
      if (name === 'onEnd') this.exchanges.delete(exchange);
      try {
        this.trip(`before ${name}`);
        run();
        this.trip(`after ${name}`);
        setImmediate(next);
      } catch (error) {
        this.exchanges.delete(exchange);
        listener.onFail({ kind: 'internal', message: 'The gateway failed to handle this answer.' }, error);
      }
    };
    setImmediate(next);
    return exchange;
  }

  /** Reckoning without I/O, like the clock: what cannot fail is not made to. */
  readonly #health: Health = {
    cooldownMs: () => 0,
    enter: () => {},
    begun: () => {},
    report: () => {},
  };

  engine(): Engine {
    const clock = { nowMs: () => 0, monotonicMs: () => 0 };
    const target = targetOf(factsOf());
    const others = (this.#script.others ?? []).map((_, index) => ({
      ...target,
      provider: `other-${index}`,
      routeKey: `other-${index} maker/model k`,
    }));
    const model = { id: 'maker/model', outputModalities: new Set(['text']), targets: [target, ...others] };
    return {
      accounts: {
        find: () => {
          this.trip('accounts.find');
          return CALLER;
        },
      },
      directory: {
        find: () => {
          this.trip('directory.find');
          return model;
        },
        absence: () => ({ kind: 'unknown', nearest: [] }),
        modelIds: [],
        hosts: new Set<string>(),
        cards: () => [],
        card: () => undefined,
      },
      telemetry: { maxBodyBytes: 0, enter: () => false, release: () => undefined, relay: () => undefined },
      turns: { next: () => 0, peek: () => 0 },
      paces: new LatencyStatistics(),
      caches: new CacheAffinity(),
      random: () => 0,
      digest: (text) => text,
      fractionOf: () => 0,
      fetchesMedia: false,
      health: this.#health,
      clock,
      admission: {
        limits: {
          enter: () => this.place(),
          claim: (place) => {
            this.trip('limits.claim');
            return place;
          },
        },
        ledger: {
          hold: () => (this.#script.ledger === 'sync' ? this.hold() : Promise.resolve().then(() => this.hold())),
        },
        clock,
        record: (record) => {
          this.records.push(record);
          this.trip('record');
        },
      },
      exchange: {
        upstream: { send: (_request, listener) => this.send(listener) },
        clock,
        random: () => 0,
        redact: (text) => text,
        timeouts: this.timeouts,
        loop: { isUsedUp: false, spend: () => false, wait: () => {}, leave: () => {} },
        floods: { count: 0 },
        limits: {
          eventLength: 10_000,
          floodBytes: 1_000_000,
          floodEvents: 10_000,
          jsonDepth: 64,
          answerLength: 10_000,
          waits: { fast: PATIENT, standard: PATIENT, reasoning: PATIENT, media: PATIENT },
        },
        health: this.#health,
        paces: new LatencyStatistics(),
        caches: new CacheAffinity(),
        callerWaits: {
          holdMs: 2 * AFTER_A_WHILE_MS,
          keepAliveMs: AFTER_A_WHILE_MS / 2,
          slowReaderMs: AFTER_A_WHILE_MS / 2,
        },
        rules: { maxAttempts: MAX_ATTEMPTS, backoffMs: 1, maxWaitMs: 1 },
        retryBudget: { asked: () => {}, take: () => true, receives: () => true, received: () => {} },
        hedging: { began: () => {}, asked: () => {}, dueMs: () => undefined, take: () => false },
        after: (_ms, run) => {
          run();
          return () => {};
        },
      },
      priceFactorPpm: () => 1_000_000,
      reports: { read: () => Promise.reject(new Error('nobody asks')) },
      jsonBounds: DEFAULT_JSON_BOUNDS,
      sealing: () => ({ wrap: () => '', unwrap: () => undefined, isEnvelope: () => false }),
      records: { find: async () => undefined },
      repeats: { maxAnswerLength: 0, claim: () => Promise.reject(new Error('no request here has a key')) },
    };
  }
}

export async function run(script: Script, at = -1, mishap: Mishap = 'none'): Promise<Outcome> {
  if (CHAT === undefined) throw new Error('the chat dialect is not built');
  const rig = new Rig(script, at, mishap);
  const received = {
    id: 'r',
    protocol: 'chat' as const,
    dialect: CHAT,
    headers: new Map([['authorization', 'Bearer key']]),
    head: { header: () => undefined },
    reply: rig.reply,
    receivedAtMs: 0,
    startedAtMs: 0,
    readBody: async (room: BodyRoom) => {
      room.reserve(script.body.length);
      rig.trip('readBody');
      return { text: script.body };
    },
  };
  let error: unknown;
  const handled = handle(rig.engine(), received, false).catch((thrown: unknown) => {
    error = thrown;
  });
  await turns();
  if (script.endless === true) {
    rig.beat();
    rig.reply.hangUp();
    await turns();
  }
  await handled;
  const { calls, openHolds, takenSlots, admitted, closings, records, written, finished, cut } = rig;
  const gauges = { openHolds, takenSlots, openExchanges: rig.exchanges.size, watched: rig.timeouts.watching };
  return { calls, ...gauges, admitted, closings, records, written, finished, cut, error };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}
