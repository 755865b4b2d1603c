/** Conversations with reasoning, tool calls and tool results, to test what happens to the reasoning. */
import type { PitfallStand } from './pitfall-stand.ts';
import type { Json, ParsedAnswer, Road } from './roads.ts';

export const OPTIONS = { tools: ['weather', 'clock'], thinking: true };
export const RESULTS = ['21 degrees', 'noon'];

export const question = (road: Road, scenario = 'reasoning-tools'): Json =>
  road.user(`Go on. @simulate scenario=${scenario}`);

export const think = async (stand: PitfallStand, road: Road, model: string): Promise<ParsedAnswer> =>
  (await stand.served(road, model, [question(road)], OPTIONS)).parsed();

/** The conversation so far with the tools' results at its end. */
export const after = (road: Road, asked: ParsedAnswer, turn: Json = asked.turn): Json[] => [
  question(road),
  turn,
  ...road.results(asked.calls, RESULTS),
];

/** A chat answer as kept by a client that knows only the standard fields. */
export const bare = ({ turn }: ParsedAnswer): Json => ({
  role: 'assistant',
  content: turn['content'],
  tool_calls: turn['tool_calls'],
});
