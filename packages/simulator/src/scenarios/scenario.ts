// The form of a named scenario: a description and either a fixed script or a function of the request.
import type { CallFacts } from './ask.ts';
import type { Script } from './script.ts';

export interface ScenarioKnobs {
  /** Length of `text-long`, in words. */
  readonly words: number;
}

export interface Scenario {
  readonly about: string;
  readonly script: Script | ((ask: CallFacts, knobs: ScenarioKnobs) => Script);
}
