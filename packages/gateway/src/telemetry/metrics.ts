// The gateway's own metrics: bounded labels, a separate registry, and recording cheap enough for every request.
import { FAULT_KINDS, LOSS_REASONS, METERS, type Usage } from '@trivium/protocol/canonical';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { WHYS_OUT } from '../kernel/health.ts';
import { SUSPECT_REASONS } from '../kernel/price.ts';
import { type MetricGauges, registerGauges } from './gauges.ts';
import type { Figures } from './lasting-figures.ts';
import { loopDelays, NEVER_MS } from './loop-delays.ts';

export interface MetricsOptions {
  readonly protocols: readonly string[];
  readonly routes: readonly string[];
  /** Ids of the configured hosts. */
  readonly providers: readonly string[];
  readonly gauges: MetricGauges;
  /** How many requests were rejected as overloaded so far, by reason; read at scrape time. */
  readonly refusals: () => ReadonlyMap<string, number>;
  /** How many connections were closed for what they cost so far, by reason; read at scrape time. */
  readonly cuts: () => ReadonlyMap<string, number>;
  /** Metrics of the process and its event loop; off in tests. */
  readonly withProcessMetrics?: boolean;
}

export interface Metrics {
  readonly contentType: string;
  render(): Promise<string>;
  figures(): Promise<Figures>;
  /** Every exit of the data plane. `outcome` is `ok` or a fault kind. */
  request(protocol: string, route: string, outcome: string, status: number): void;
  attempt(provider: string, lane: string, outcome: string): void;
  loss(protocol: string, why: string): void;
  tokens(provider: string, model: string, usage: Usage): void;
  cost(provider: string, model: string, usd: number): void;
  /** An upstream reported implausible usage. */
  suspect(provider: string, why: string): void;
  /** A host was ejected. */
  ejection(provider: string, why: string): void;
  duration(protocol: string, durationMs: number, firstByteMs: number | undefined): void;
  /** How late the event loop ran a timer. */
  loopDelay(delayMs: number): void;
  /** Hosts and models that are served from now on; all others count as `other`. */
  allow(providers: Iterable<string>, models: readonly string[]): void;
}

const LANES = ['verbatim', 'translated'];
const OUTCOMES: readonly string[] = ['ok', ...FAULT_KINDS];
const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
const DURATION_BUCKETS_S = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const MS_PER_S = 1000;

const statusClass = (status: number): string => STATUS_CLASSES[Math.floor(status / 100) - 1] ?? OTHER;

/** Children are created once, for every possible protocol: observing then needs no lookup by labels object. */
const histogramOf = (name: string, help: string, protocols: readonly string[], registry: Registry) => {
  const histogram = new Histogram({
    name,
    help,
    labelNames: ['protocol'],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
  const children = new Map([...protocols, OTHER].map((protocol) => [protocol, histogram.labels(protocol)]));
  return (protocol: string, durationMs: number): void =>
    (children.get(protocol) ?? children.get(OTHER))?.observe(durationMs / MS_PER_S);
};

const countersOf = (options: MetricsOptions, registry: Registry) => {
  const { protocols, routes, providers } = options;
  const make = (name: string, help: string, labels: Readonly<Record<string, readonly string[]>>): ClosedCounter =>
    new ClosedCounter({ name, help, labels }, registry);
  return {
    requests: make('trivium_requests_total', 'Requests answered, by protocol, route and outcome.', {
      protocol: protocols,
      route: routes,
      status: STATUS_CLASSES,
    }),
    faults: make('trivium_faults_total', 'Requests that ended in an error, by kind.', {
      protocol: protocols,
      fault: FAULT_KINDS,
    }),
    losses: make('trivium_losses_total', 'Parameters dropped or changed in translation.', {
      protocol: protocols,
      why: LOSS_REASONS,
    }),
    attempts: make('trivium_upstream_attempts_total', 'Calls to providers, by lane and outcome.', {
      provider: providers,
      lane: LANES,
      outcome: OUTCOMES,
    }),
    ejections: make('trivium_ejections_total', 'Circuit breaker openings, by provider.', {
      provider: providers,
      why: WHYS_OUT,
    }),
    suspects: make('trivium_suspect_usage_total', 'Answers whose reported usage cannot be true, by reason.', {
      provider: providers,
      why: SUSPECT_REASONS,
    }),
    tokens: make('trivium_tokens_total', 'Tokens and other units used, by provider, model and usage dimension.', {
      provider: providers,
      model: [],
      meter: METERS,
    }),
    cost: make('trivium_cost_usd_total', 'Cost of requests in US dollars at the prices callers pay.', {
      provider: providers,
      model: [],
    }),
  };
};

/** Counted elsewhere, by reason. */
const registerReasons = (
  { name, help }: { readonly name: string; readonly help: string },
  counts: () => ReadonlyMap<string, number>,
  registry: Registry,
): void => {
  const counter: Counter = new Counter({
    name,
    help,
    labelNames: ['reason'],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const [reason, count] of counts()) counter.inc({ reason }, count);
    },
  });
};

const REFUSALS = {
  name: 'trivium_refusals_total',
  help: 'Requests rejected because the gateway is overloaded, by reason.',
};
const CUTS = {
  name: 'trivium_connections_cut_total',
  help: 'Connections closed because of what they cost, by reason.',
};

export const createMetrics = (options: MetricsOptions): Metrics => {
  const registry = new Registry();
  const withProcess = options.withProcessMetrics ?? true;
  if (withProcess) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  const loopDelay = withProcess ? loopDelays(registry) : () => undefined;
  registerGauges(options.gauges, registry);
  registerReasons(REFUSALS, options.refusals, registry);
  registerReasons(CUTS, options.cuts, registry);
  const { requests, faults, losses, attempts, tokens, cost, ejections, suspects } = countersOf(options, registry);
  const { protocols } = options;
  const duration = histogramOf(
    'trivium_request_duration_seconds',
    'Time from request to last byte in seconds.',
    protocols,
    registry,
  );
  const firstByte = histogramOf(
    'trivium_first_byte_seconds',
    'Time from request to first byte in seconds.',
    protocols,
    registry,
  );
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    figures: () => figuresOf(registry),
    request: (protocol, route, outcome, status) => {
      requests.add([protocol, route, statusClass(status)]);
      if (outcome !== 'ok') faults.add([protocol, outcome]);
    },
    loopDelay,
    ejection: (provider, why) => ejections.add([provider, why]),
    attempt: (provider, lane, outcome) => attempts.add([provider, lane, outcome]),
    loss: (protocol, why) => losses.add([protocol, why]),
    tokens: (provider, model, usage) => {
      for (const meter of METERS) {
        const amount = usage[meter];
        if (amount !== undefined && amount > 0) tokens.add([provider, model, meter], amount);
      }
    },
    cost: (provider, model, usd) => cost.add([provider, model], usd),
    suspect: (provider, why) => suspects.add([provider, why]),
    duration: (protocol, durationMs, firstByteMs) => {
      duration(protocol, durationMs);
      if (firstByteMs !== undefined) firstByte(protocol, firstByteMs);
    },
    allow: (providers, models) => {
      for (const counter of [attempts, ejections, tokens, cost, suspects]) counter.allow(0, providers);
      for (const counter of [tokens, cost]) counter.allow(1, models);
    },
  };
};

// Counters whose label values are closed sets: any other value counts as `other`, so no caller can increase the number
// of series. Adding is one lookup per label and one addition; the registry is updated at scrape time.

const OTHER = 'other';

interface CounterForm {
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
}

interface Branch {
  readonly next: Map<string, Branch>;
  readonly values: readonly string[];
  count: number;
}

const branch = (values: readonly string[]): Branch => ({ next: new Map(), values, count: 0 });

class ClosedCounter {
  readonly #allowed: ReadonlySet<string>[];
  readonly #root = branch([]);

  constructor(form: CounterForm, registry: Registry) {
    const labelNames = Object.keys(form.labels);
    this.#allowed = Object.values(form.labels).map((values) => new Set(values));
    const root = this.#root;
    const counter: Counter = new Counter({
      name: form.name,
      help: form.help,
      labelNames,
      registers: [registry],
      collect: () => {
        counter.reset();
        const visit = (node: Branch): void => {
          if (node.values.length === labelNames.length) {
            counter.inc(
              Object.fromEntries(labelNames.map((name, index) => [name, node.values[index] ?? OTHER])),
              node.count,
            );
          }
          for (const child of node.next.values()) visit(child);
        };
        visit(root);
      },
    });
  }

  /** Values in the order of the declared labels. */
  add(values: readonly string[], amount = 1): void {
    let node = this.#root;
    for (let index = 0; index < this.#allowed.length; index += 1) {
      const given = values[index] ?? OTHER;
      let child = node.next.get(given);
      if (child === undefined) child = this.#grow(node, index, given);
      node = child;
    }
    node.count += amount;
  }

  /** Allows a value from now on, e.g. a host added by a reload. */
  allow(labelIndex: number, values: Iterable<string>): void {
    const allowed = this.#allowed[labelIndex];
    if (allowed !== undefined) this.#allowed[labelIndex] = new Set([...allowed, ...values]);
  }

  #grow(node: Branch, index: number, given: string): Branch {
    const value = this.#allowed[index]?.has(given) === true ? given : OTHER;
    const existing = node.next.get(value);
    if (existing !== undefined) return existing;
    const child = branch([...node.values, value]);
    node.next.set(value, child);
    return child;
  }
}

// Metrics of several processes that serve one address, aggregated as if one had counted.

const figuresOf = (registry: Registry): Promise<Figures> => registry.getMetricsAsJSON();

export const renderFigures = (all: readonly Figures[]): Promise<string> =>
  AggregatorRegistry.aggregate(all.map((figures) => [...figures])).metrics();
