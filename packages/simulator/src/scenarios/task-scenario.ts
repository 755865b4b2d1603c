// A model that follows a task step by step, so that a real agent program can work against the simulator. The prompt
// contains the steps, one per line: `@step <tool> <arguments>`, and finally `@answer <text>`. `@also <tool> <arguments>` is
// called in the same turn as the step before it; `@say <text>` is said before the calls of the step that follows. Arguments
// and texts are percent-encoded, because agents quote and escape their input.
import type { CallFacts, UserText } from './ask.ts';
import { callPieces, type PlannedCall, say, think } from './pieces.ts';
import type { Scenario } from './scenario.ts';
import type { Script } from './script.ts';

const LINE = /@(?:(step|also) (\S+) (\S+)|say (\S+))/gmu;
const ANSWER = /@answer (\S+)/mu;
const MARK = '@answer ';
const NO_ANSWER = 'Done.';

/**
 * Agents add their own reminders after the prompt, so any user text may contain the task; the last one counts. Prompts
 * without an answer between them may have become one text.
 */
export function taskOf({ userTexts }: CallFacts): UserText | undefined {
  const found = userTexts.findLast(({ text }) => text.includes(MARK));
  if (found === undefined) return undefined;
  const previous = found.text.slice(0, found.text.lastIndexOf(MARK)).lastIndexOf(MARK);
  return previous === -1 ? found : { ...found, text: found.text.slice(previous + MARK.length) };
}

interface TaskTurn {
  readonly said: string;
  readonly calls: PlannedCall[];
}

function turnsOf(text: string): readonly TaskTurn[] {
  const turns: TaskTurn[] = [];
  let said = '';
  for (const [, kind, name = '', encoded = '', words] of text.matchAll(LINE)) {
    if (words !== undefined) {
      said = decodeURIComponent(words);
      continue;
    }
    const call = { name, argumentsText: decodeURIComponent(encoded) };
    if (kind === 'also') turns.at(-1)?.calls.push(call);
    else turns.push({ said, calls: [call] });
    said = '';
  }
  return turns;
}

function nextStep(ask: CallFacts): Script {
  const task = taskOf(ask) ?? { text: '', resultsAfter: 0 };
  let done = 0;
  // The turn whose calls have no results yet.
  const turn = turnsOf(task.text).find(({ calls }) => {
    done += calls.length;
    return done > task.resultsAfter;
  });
  // Agents also send the prompt without tools, to have it summarised.
  const isOffered = turn?.calls.every(({ name }) => ask.tools.some((tool) => tool.name === name)) === true;
  if (turn === undefined || !isOffered)
    return { pieces: say(decodeURIComponent(ANSWER.exec(task.text)?.[1] ?? NO_ANSWER)), finish: 'stop' };
  return {
    pieces: [
      ...think('The next step is clear.'),
      ...say(turn.said),
      ...turn.calls.flatMap((call, at) => callPieces(ask, at, call)),
    ],
    finish: 'tool-calls',
  };
}

export const taskScenarios = {
  task: {
    about: 'The steps in the prompt, then the answer. Default when the prompt holds an `@answer`.',
    script: nextStep,
  },
} as const satisfies Readonly<Record<string, Scenario>>;
