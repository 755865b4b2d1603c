// A model that follows a task step by step, so that a real agent program can work against the simulator. The prompt
// contains the steps, one per line: `@step <tool> <arguments>`, and finally `@answer <text>`. Arguments and text are
// percent-encoded, because agents quote and escape their input.
import type { CallFacts } from './ask.ts';
import { callPieces, say, think } from './pieces.ts';
import type { Scenario } from './scenario.ts';
import type { Script } from './script.ts';

const STEP = /@step (\S+) (\S+)/gmu;
const ANSWER = /@answer (\S+)/mu;
const NO_ANSWER = 'Done.';

/** Agents add their own reminders after the prompt, so any user text may contain the task. */
const taskOf = ({ userTexts }: CallFacts): string | undefined =>
  userTexts.findLast((text) => text.includes('@answer '));

export const holdsTask = (ask: CallFacts): boolean => taskOf(ask) !== undefined;

function nextStep(ask: CallFacts): Script {
  const task = taskOf(ask) ?? '';
  const [, tool, encoded = ''] = [...task.matchAll(STEP)][ask.resultsSoFar] ?? [];
  // Agents also send the prompt without tools, to have it summarised.
  if (tool === undefined || ask.tools.every(({ name }) => name !== tool))
    return { pieces: say(decodeURIComponent(ANSWER.exec(task)?.[1] ?? NO_ANSWER)), finish: 'stop' };
  return {
    pieces: [
      ...think('The next step is clear.'),
      ...callPieces(ask, 0, { name: tool, argumentsText: decodeURIComponent(encoded) }),
    ],
    finish: 'tool-calls',
  };
}

export const taskScenarios = {
  task: {
    about: 'The steps in the prompt, one call a turn, then the answer. Default when the prompt holds an `@answer`.',
    script: nextStep,
  },
} as const satisfies Readonly<Record<string, Scenario>>;
