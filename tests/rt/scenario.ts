/** A resilience scenario breaks something on purpose, measures, and checks its figures against bounds. */
import type { Stage } from './parts/stage.ts';

export type Form = 'short' | 'full';

/** One figure and the bound it must keep. */
export type Check = {
  readonly name: string;
  readonly value: number;
  readonly bound: string;
  readonly ok: boolean;
};

export type Figure = number | string | boolean | null | readonly Figure[] | { readonly [name: string]: Figure };

export type Outcome = {
  readonly figures: Readonly<Record<string, Figure>>;
  readonly checks: readonly Check[];
};

export type Scenario = {
  readonly name: string;
  /** Gateways beside one another on one database; one if absent. `npm run attack` says it of what the scenario shows. */
  readonly nodes?: number;
  /** One sentence: what holds when it passes. */
  readonly shows: string;
  /** Its own timeout in ms, where that of its form is too short. */
  readonly limitMs?: Readonly<Partial<Record<Form, number>>>;
  play(form: Form, stage: Stage): Promise<Outcome>;
};

/** Both forms run the same steps; the short one is for CI, the full one has the promised figures. */
export const scenario = <Parameters>(of: {
  readonly name: string;
  readonly nodes?: number;
  readonly shows: string;
  readonly limitMs?: Readonly<Partial<Record<Form, number>>>;
  readonly short: Parameters;
  readonly full: Parameters;
  run(parameters: Parameters, stage: Stage): Promise<Outcome>;
}): Scenario => ({
  name: of.name,
  ...(of.nodes !== undefined && { nodes: of.nodes }),
  shows: of.shows,
  ...(of.limitMs !== undefined && { limitMs: of.limitMs }),
  play: (form, stage) => of.run(of[form], stage),
});

export const atMost = (name: string, value: number, bound: number): Check => ({
  name,
  value,
  bound: `≤ ${bound}`,
  ok: value <= bound,
});

export const atLeast = (name: string, value: number, bound: number): Check => ({
  name,
  value,
  bound: `≥ ${bound}`,
  ok: value >= bound,
});

export const exactly = (name: string, value: number, bound: number): Check => ({
  name,
  value,
  bound: `= ${bound}`,
  ok: value === bound,
});

/** A scenario without checks proves nothing, so it does not pass. */
export const passes = ({ checks }: Outcome): boolean => checks.length > 0 && checks.every(({ ok }) => ok);
