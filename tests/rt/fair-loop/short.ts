import type { Stage } from '../parts/stage.ts';
import { exactly, type Outcome } from '../scenario.ts';
import type { Site } from './site.ts';
export async function playShort(_stage: Stage, _site: Site): Promise<Outcome> {
  return { figures: {}, checks: [exactly('not written', 1, 0)] };
}
