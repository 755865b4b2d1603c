/** The context of a scenario: processes to start, a seed, an output; everything is cleaned up at its end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GatewayOptions, type GatewayProcess, startGatewayProcess } from './gateway-process.ts';
import { type SimulatorProcess, startSimulatorProcess } from './simulator-process.ts';

export class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), 'trivium-rt-'));
  readonly seed: number;
  readonly random: () => number;
  readonly #ends: (() => Promise<void> | void)[] = [];

  constructor(seed: number) {
    this.seed = seed;
    this.random = randomFrom(seed);
  }

  say(text: string): void {
    console.log(`  ${text}`);
  }

  /** Runs at the end, the latest first, however the scenario ended. */
  atEnd(work: () => Promise<void> | void): void {
    this.#ends.push(work);
  }

  async gateway(config: Readonly<Record<string, unknown>>, options: GatewayOptions = {}): Promise<GatewayProcess> {
    const gateway = await startGatewayProcess(this.folder, config, options);
    this.atEnd(() => gateway.child.kill());
    return gateway;
  }

  async simulator(name = 'simulator'): Promise<SimulatorProcess> {
    const simulator = await startSimulatorProcess(this.folder, name);
    this.atEnd(() => simulator.child.kill());
    return simulator;
  }

  /** Several at once, by name. */
  async simulators<Name extends string>(names: readonly Name[]): Promise<Readonly<Record<Name, SimulatorProcess>>> {
    const started = await Promise.all(names.map(async (name) => [name, await this.simulator(name)] as const));
    return Object.fromEntries(started) as Record<Name, SimulatorProcess>;
  }

  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const end of this.#ends.reverse()) {
      try {
        await end();
      } catch (failure) {
        failures.push(failure);
      }
    }
    rmSync(this.folder, { recursive: true, force: true });
    if (failures.length > 0)
      throw new AggregateError(failures, `could not clean up: ${failures.map(String).join('; ')}`);
  }
}

/** Mulberry32: small, and the same everywhere for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
