/** The full form: every attack alone, then through proxies, then with each bound switched off, then money and what stays legal. */
import { PROXIES, startProxy } from '../parts/reverse-proxy.ts';
import type { Stage } from '../parts/stage.ts';
import { atLeast, atMost, type Check, exactly, type Figure, type Outcome } from '../scenario.ts';
import type { Attack } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { isChosen } from './chosen.ts';
import { FEW, figuresOf, judge } from './judge.ts';
import { playLegal } from './legal.ts';
import { floorMs, measure } from './measure.ts';
import { playMoney } from './money.ts';
import { PLANTED, type Planted } from './planted.ts';
import { type Limits, MEMORY_LIMITS, type Site, unknownLimits } from './site.ts';

const BEHIND_PROXIES = [
  'Q1 256 × 0.35 MB in 1-byte chunks, no key',
  'Q2 32 × 60000 pipelined probes',
  'Q3 32 × 0.25 MB in 1-byte chunks',
];
const PROXIED_MS = 250;
/** Watchers that have next to nothing to do run late by this much only if the whole machine is held up. */
const STANDSTILL_MS = 50;
const MOST_REPLAYS = 2;
const PROXY_ADDRESS = '127.0.0.1';

type Part = { readonly name: string; play(): Promise<Outcome> };

export class FullForm {
  readonly #stage: Stage;
  readonly #site: Site;
  /** Longest waits at the bare server, by attack. */
  readonly #floors = new Map<string, number>();

  constructor(stage: Stage, site: Site) {
    this.#stage = stage;
    this.#site = site;
  }

  async play(): Promise<Outcome> {
    const parts: readonly Part[] = [
      ...ATTACKS.map((attack) => ({ name: attack.name, play: () => this.#undisturbed(attack) })),
      ...PROXIES.map((proxy) => ({ name: `behind ${proxy}`, play: () => this.#behind(proxy) })),
      ...PLANTED.map((planted) => ({ name: `without ${planted.bound}`, play: () => this.#without(planted) })),
      { name: 'money', play: () => playMoney(this.#stage) },
      { name: 'legal', play: () => playLegal(this.#stage, this.#site) },
    ].filter(isChosen);
    const figures: Record<string, Figure> = {};
    const checks: Check[] = [atLeast('parts of the scenario', parts.length, 1)];
    for (const part of parts) {
      const outcome = await this.#played(part);
      figures[part.name] = outcome.figures;
      checks.push(...outcome.checks);
      const failed = outcome.checks.filter(({ ok }) => !ok).map(({ name, value }) => `${name} ${value}`);
      this.#stage.say(`${failed.length === 0 ? 'ok  ' : 'FAIL'} ${part.name} ${JSON.stringify(outcome.figures)}`);
    }
    return { figures, checks };
  }

  /** A part that breaks off has failed, and the others go on. */
  async #played({ name, play }: Part): Promise<Outcome> {
    try {
      return await play();
    } catch (error) {
      await this.#site.close();
      const why = error instanceof Error ? error.message : String(error);
      return { figures: { error: why }, checks: [exactly(`${name}: broken off`, 1, 0)] };
    }
  }

  /** Played again if it fails while the machine stood still: then the figures say nothing of the gateway. */
  async #undisturbed(attack: Attack): Promise<Outcome> {
    for (let disturbed = 0; ; disturbed++) {
      const { figures, checks } = await this.#alone(attack);
      const [livezMs = 0, victimMs = 0] = figures['lateMs'] as readonly number[];
      const isDisturbed = checks.some(({ ok }) => !ok) && Math.max(livezMs, victimMs) > STANDSTILL_MS;
      if (!isDisturbed || disturbed === MOST_REPLAYS) return { figures: { ...figures, disturbed }, checks };
    }
  }

  async #alone(attack: Attack, limits: Limits = {}): Promise<Outcome> {
    const memory = attack.memory === true ? MEMORY_LIMITS : {};
    const gateway = await this.#site.gateway({ ...memory, ...limits }, attack.gateway);
    const attacked = this.#site.urlOf(gateway, attack.listener);
    const seen = await measure(this.#stage, attack, { gateway, attacked });
    const floor = await this.#floor(attack);
    return { figures: figuresOf(seen, floor), checks: judge(attack, seen, floor) };
  }

  async #floor(attack: Attack): Promise<number | undefined> {
    if (attack.floor === undefined || attack.connections <= FEW) return undefined;
    const known = this.#floors.get(attack.name) ?? (await floorMs(this.#stage, attack));
    this.#floors.set(attack.name, known);
    return known;
  }

  async #behind(proxy: (typeof PROXIES)[number]): Promise<Outcome> {
    const gateway = await this.#site.gateway(MEMORY_LIMITS, 'plain', [PROXY_ADDRESS]);
    const { url } = await startProxy(this.#stage, proxy, gateway.url);
    const figures: Record<string, Figure> = {};
    const checks: Check[] = [];
    for (const attack of BEHIND_PROXIES.map(attackNamed)) {
      const seen = await measure(this.#stage, attack, { gateway, attacked: url, watched: url });
      figures[attack.name] = figuresOf(seen);
      checks.push(
        atMost(`${proxy}, ${attack.name}: longest /livez in ms`, seen.livez.longestMs, PROXIED_MS),
        exactly(`${proxy}, ${attack.name}: failed calls of a bystander`, Object.keys(seen.victim.failures).length, 0),
      );
    }
    return { figures, checks };
  }

  /** A run that passes has found nothing, so it fails. */
  async #without({ bound, off, attack, foundBy }: Planted): Promise<Outcome> {
    const unknown = unknownLimits(off);
    if (unknown.length > 0)
      return { figures: { unknown }, checks: [exactly(`settings of ${bound} that do not exist`, unknown.length, 0)] };
    const outcome = await this.#alone(attackNamed(attack), off);
    const failed = outcome.checks.filter(({ ok }) => !ok);
    const found = failed.map(({ name, value }) => `${name}: ${value}`);
    const isFound = failed.some(({ name }) => foundBy.some((end) => name.endsWith(end)));
    await this.#site.close();
    return {
      figures: { ...outcome.figures, found },
      checks: [exactly(`without a bound of ${bound}: attack that went unnoticed`, isFound ? 0 : 1, 0)],
    };
  }
}

function attackNamed(name: string): Attack {
  const attack = ATTACKS.find((each) => each.name === name);
  if (attack === undefined) throw new Error(`there is no attack ${JSON.stringify(name)}`);
  return attack;
}
