/** The time to refuse a key reveals nothing about existing keys: Welch's t-test over the whole path of a key. */
import { measureAuthentication, T_LIMIT } from '../isolation/timing.ts';
import { rounded } from '../parts/load.ts';
import { atLeast, atMost, scenario } from '../scenario.ts';

type Parameters = { readonly samples: number };

export const keyTiming = scenario<Parameters>({
  name: 'key-timing',
  shows: 'refusing a key that begins like a known one takes as long as refusing any other',
  short: { samples: 20_000 },
  full: { samples: 100_000 },
  run: async ({ samples }, stage) => {
    const { t, revokedT, plantedT } = await measureAuthentication(samples, stage.random);
    return {
      figures: { samples, t: rounded(t), revokedT: rounded(revokedT), plantedT: rounded(plantedT) },
      checks: [
        atMost('|t| between an unknown key and a known beginning', rounded(t), T_LIMIT),
        atLeast('|t| where keys are found by their beginning first', rounded(plantedT), T_LIMIT),
      ],
    };
  },
});
