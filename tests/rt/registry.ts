/** Every resilience scenario, in the order `all` plays them. */
import type { Scenario } from './scenario.ts';
import { amplification } from './scenarios/amplification.ts';

export const SCENARIOS: readonly Scenario[] = [amplification];
