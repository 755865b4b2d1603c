/** What the agents are made to do: one conversation in five legs, each a start of the program. The table says which agent can take which step. */
import type { AgentName } from './agents.ts';

export const STEPS = {
  text: 'text beside tool calls',
  parallel: 'two calls at once',
  edit: 'an edit',
  command: 'a command',
  search: 'a search for deferred tools',
  picture: 'a picture read',
  switch: 'a model of another maker, and back',
  compaction: 'compaction',
  interrupt: 'an interrupt, then resumed',
} as const;
export type Step = keyof typeof STEPS;

/** Why an agent does not take a step; the steps not named here it takes. */
export const CANNOT: Readonly<Record<AgentName, Readonly<Partial<Record<Step, string>>>>> = {
  'claude-code': {},
  codex: { search: 'it has no such tool' },
  'codex-login': {
    search: 'it has no such tool',
    compaction: 'signed in, it leaves that to a service of OpenAI that no other has',
  },
  'gemini-cli': { search: 'it has no such tool' },
  opencode: {
    search: 'it has no such tool',
    compaction: 'without a terminal it compacts only a full context',
  },
  aider: {
    text: 'it has no tools',
    parallel: 'it has no tools',
    search: 'it has no tools',
    picture: 'it has no tools',
    compaction: 'it summarises only a history of thousands of tokens',
  },
};

export const can = (agent: AgentName, step: Step): boolean => CANNOT[agent][step] === undefined;

/** A call of one of the agent's tools; text for a tool that takes any text. */
export type Call = readonly [tool: string, input: object | string];

/** The calls that an agent's tools need for each step. */
export type Acts = {
  readonly read: Call;
  readonly look?: Call;
  readonly edit: Call;
  readonly find?: Call;
  run(command: string): Call;
};

/** The words that legs end with; agents must print them. */
export const ANSWERS = {
  first: 'The notes are final now: 3 crossroads.',
  other: 'Another maker has read them, too: 5 bridges.',
  last: 'Resumed and finished: 7 milestones.',
} as const;
export const LONG_WORDS = 3000;
export const LONG_PROMPT = 'Tell a long story.';
/** For the simulator, out of band: agents keep the prompt. Slow enough that the agent is interrupted in time. */
export const LONG_ANSWER = `scenario=text-long words=${LONG_WORDS} tps=40`;

const encoded = (value: object | string): string =>
  encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value));

/** A prompt that the simulator follows: each inner list is one turn of the model. */
export function taskPrompt(
  task: string,
  turns: readonly (readonly Call[])[],
  answer: string,
  said: string | undefined,
): string {
  const lines = turns.flatMap((calls) =>
    calls.map(([tool, input], at) => `@${at === 0 ? 'step' : 'also'} ${tool} ${encoded(input)}`),
  );
  return [
    task,
    ...(said === undefined || lines.length === 0 ? [] : [`@say ${encoded(said)}`]),
    ...lines,
    `@answer ${encoded(answer)}`,
  ].join('\n');
}
