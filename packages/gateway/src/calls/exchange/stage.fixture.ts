/** For tests: a chat request, targets, upstreams scripted by the test, and a clock it moves. */
import { findDialect } from '@trivium/protocol/dialects';
import type { Outcome } from '../../kernel/record.ts';
import type { Target } from '../../kernel/target.ts';
import type { Timed } from '../../kernel/timeouts.ts';
import type { UpstreamListener, UpstreamRequest } from '../../kernel/upstream.ts';
import type { Admitted } from '../admit/admit.ts';
import type { Planned } from '../request.ts';
import type { ExchangePorts } from './attempt-ports.ts';

export const WAITS = { firstByteMs: 100, silenceMs: 50, idleMs: 200, totalMs: 500 };
export const LIMITS = {
  eventLength: 1000,
  jsonDepth: 8,
  floodBytes: 4000,
  floodEvents: 20,
  answerLength: 200,
  waits: { fast: WAITS, standard: WAITS, reasoning: WAITS, media: WAITS },
};
export const CALLER_WAITS = { holdMs: 60, keepAliveMs: 20, slowReaderMs: 40 };

const HEAD_OF_CHUNK = { id: 'i', object: 'chat.completion.chunk', created: 1, model: 'up' };
export const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ ...HEAD_OF_CHUNK, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
export const FIRST = chunk({ role: 'assistant', content: 'a' });
export const LAST = `${chunk({}, 'stop')}data: [DONE]\n\n`;
export const WHOLE = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 2, completion_tokens: 1 },
});

const chat = findDialect('openai-chat')!;

export type RequestOptions = {
  readonly stream?: boolean;
  readonly passHeaders?: [string, string][];
  readonly asArray?: boolean;
  readonly startedAtMs?: number;
  readonly hedges?: boolean;
};

export const plannedOf = ({ stream = true, passHeaders, asArray, startedAtMs = 0, hedges }: RequestOptions): Planned =>
  ({
    id: 'r',
    protocol: 'chat',
    dialect: chat,
    caller: { accountId: 'a', keyId: 'k', ...(hedges !== undefined && { hedges }) },
    headers: new Map(),
    head: { header: () => undefined, ...(asArray !== undefined && { asArray }) },
    text: '{}',
    members: [],
    receivedAtMs: 5_400,
    startedAtMs,
    understanding: {
      stream,
      losses: [{ path: 'seed', why: 'not-forwarded' }],
      media: [],
      responseOptions: { usageInStream: false, withCost: false, hideReasoning: false, logprobs: false },
      verbatim: () => ({ edits: [], losses: [] }),
      call: () => ({ operation: 'text', messages: [], tools: [], extras: {}, sampling: {} }),
      ...(passHeaders !== undefined && { passHeaders }),
    },
  }) as unknown as Planned;

export const targetOf = (provider: string, more: object = {}): Target =>
  ({
    provider,
    routeKey: provider,
    modelId: 'm',
    modelClass: 'standard',
    dialect: chat,
    origin: `http://${provider}`,
    path: '/whole',
    streamPath: '/stream',
    headers: ['authorization', 'k'],
    facts: { quirks: chat.quirks({}), model: { thinking: { kind: 'none' } } },
    route: { contextLength: 0, maxOutputTokens: 0 },
    card: { rates: () => ({ byMeter: {}, surcharges: [] }), version: '1' },
    ...more,
  }) as unknown as Target;

export type Call = { readonly request: UpstreamRequest; readonly listener: UpstreamListener };

/** All ports of an exchange; each records what happens to it. */
export class World {
  nowMs = 0;
  readonly log: string[] = [];
  readonly health: string[] = [];
  readonly calls: Call[] = [];
  readonly watched = new Set<Timed>();
  readonly timers: (() => void)[] = [];
  loop: ExchangePorts['loop'] = { isUsedUp: false, spend: () => false, wait: () => {}, leave: () => {} };
  readonly floods = { count: 0 };
  sendError: Error | undefined;
  hedgeAfterMs: number | undefined;
  /** Log entries that begin with this make `say` throw. */
  failsAt: string | undefined;

  say(word: string): void {
    this.log.push(word);
    if (this.failsAt !== undefined && word.startsWith(this.failsAt)) throw new Error(`cannot ${word}`);
  }

  tick(nowMs: number): void {
    this.nowMs = nowMs;
    for (const one of [...this.watched]) one.tick(nowMs);
  }

  get ports(): ExchangePorts {
    return {
      upstream: {
        send: (request: UpstreamRequest, listener: UpstreamListener) => {
          if (this.sendError !== undefined) throw this.sendError;
          this.calls.push({ request, listener });
          return {
            pause: () => this.say('pause'),
            resume: () => this.say('resume'),
            drain: () => this.say('drain'),
            abort: () => this.say('abort'),
          };
        },
      },
      clock: { nowMs: () => 0, monotonicMs: () => this.nowMs },
      random: () => 0,
      redact: (text: string) => text,
      timeouts: {
        watch: (one: Timed) => void this.watched.add(one),
        unwatch: (one: Timed) => void this.watched.delete(one),
      },
      loop: this.loop,
      floods: this.floods,
      limits: LIMITS,
      callerWaits: CALLER_WAITS,
      health: {
        cooldownMs: () => 0,
        enter: (routeKey: string) => void this.health.push(`enter ${routeKey}`),
        begun: () => void this.health.push('begun'),
        report: (_routeKey: string, verdict: string) => void this.health.push(verdict),
      },
      hedging: { began: () => {}, asked: () => {}, dueMs: () => this.hedgeAfterMs, take: () => true },
      retryBudget: { asked: () => {}, take: () => true, receives: () => true, received: () => {} },
      rules: { maxAttempts: 3, backoffMs: 1, maxWaitMs: 10 },
      after: (_ms: number, run: () => void) => {
        this.timers.push(run);
        return () => void this.say('cancel timer');
      },
      paces: { asked: () => {}, over: () => {}, began: () => {}, of: () => ({ firstTokenMs: undefined, waiting: 0 }) },
      caches: { keep: () => {}, find: () => undefined },
    } as unknown as ExchangePorts;
  }
}

type Caller = { reads: boolean; gone: boolean; hangUp(): void; drain(): void };

/** The admitted request, with its caller and its settlement. */
export function admittedTo(world: World, plan: readonly Target[], options: RequestOptions = {}) {
  const outcomes: Outcome[] = [];
  const meter = { says: 'go' };
  /** While it is held, the charge waits to be written. */
  const settling = { isHeld: false, release: (): void => {} };
  let onGone = (): void => {};
  let onDrain = (): void => {};
  const caller: Caller = {
    reads: true,
    gone: false,
    hangUp: () => {
      caller.gone = true;
      onGone();
    },
    drain: () => onDrain(),
  };
  const attempts: object[] = [];
  const admitted = {
    ...plannedOf(options),
    plan,
    model: { id: 'm' },
    reply: {
      get gone() {
        return caller.gone;
      },
      onGone: (listener: () => void) => {
        onGone = listener;
      },
      onDrain: (listener: () => void) => {
        onDrain = listener;
      },
      open: (_status: number, headers: readonly string[]) => world.say(`open ${headers.includes('trailer')}`),
      answer: (status: number, _headers: readonly string[], body: string) =>
        world.say(`answer ${status} ${body.length > 0}`),
      write: (text: string) => {
        world.say(`write ${shortened(text)}`);
        return caller.reads;
      },
      finish: (trailers?: object) => world.say(`finish ${JSON.stringify(trailers ?? null)}`),
      cut: () => world.say('cut'),
    },
    settlement: {
      attempts,
      close: (outcome: Outcome, send?: () => void) => {
        if (outcomes.length > 0) return;
        outcomes.push(outcome);
        if (settling.isHeld) settling.release = () => send?.();
        else send?.();
      },
      meter: () => meter.says,
      chargeOf: () => 0n,
    },
  } as unknown as Admitted;
  return { admitted, caller, outcomes, meter, settling, attempts };
}

/** What a caller reads, as one word. */
function shortened(text: string): string {
  if (text.startsWith(':')) return 'ping';
  if (text.includes('"error"')) return 'fault';
  return text.includes('[DONE]') ? 'last' : 'text';
}
