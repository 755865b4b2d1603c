// The same short answer with every known way in which hosts report usage.
import { say } from './pieces.ts';
import type { Scenario } from './scenario.ts';
import type { Script, UsageManner } from './script.ts';

const KNOWN_USAGE = { prompt: 100, cached: 40, completion: 20, reasoning: 5 } as const;

const CACHE_WRITES = { ...KNOWN_USAGE, reasoning: 0, cacheWrite5m: 20, cacheWrite1h: 10 } as const;

function reporting(usage: UsageManner): Script {
  return { pieces: say('Usage is told in its own way.'), finish: 'stop', usage: KNOWN_USAGE, manner: { usage } };
}

export const usageScenarios = {
  'cached-usage': {
    about: 'Prompt 100, of which 40 cached; completion 20, of which 5 reasoning.',
    script: reporting('standard'),
  },
  'cache-writes': {
    about: 'Prompt 100: 40 read from the cache, 20 written to it for 5 minutes, 10 for an hour; completion 20.',
    script: { ...reporting('standard'), usage: CACHE_WRITES },
  },
  'usage-finish-and-alone': {
    about: 'Usage in the finish chunk and again alone.',
    script: reporting('finish-and-alone'),
  },
  'usage-every-chunk': { about: 'Cumulative usage on every chunk.', script: reporting('every-chunk') },
  'usage-absent': { about: 'No usage, asked or not.', script: reporting('absent') },
  'usage-in-choice': { about: 'Usage inside the first choice.', script: reporting('in-choice') },
  'usage-x-groq': { about: 'Usage under `x_groq` in the finish chunk.', script: reporting('x-groq') },
  'usage-negative': { about: 'Negative counts.', script: reporting('negative') },
  'usage-odd': { about: 'Cached above prompt, fractions, text for numbers, a wrong total.', script: reporting('odd') },
} as const satisfies Readonly<Record<string, Scenario>>;
