/** Every resilience scenario, in the order `all` plays them. */
import type { Scenario } from './scenario.ts';
import { amplification } from './scenarios/amplification.ts';
import { idempotency } from './scenarios/idempotency.ts';
import { massDisconnect } from './scenarios/mass-disconnect.ts';

export const SCENARIOS: readonly Scenario[] = [amplification, massDisconnect, idempotency];
