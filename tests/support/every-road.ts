/** All protocols by all dialects: the sixteen pairs of most journeys. */
import { chatRoad } from './chat-road.ts';
import { genaiRoad } from './genai-road.ts';
import { messagesRoad } from './messages-road.ts';
import { responsesRoad } from './responses-road.ts';
import { DESTINATIONS, type Destination, type Road } from './roads.ts';

export const EVERY_ROAD: readonly Road[] = [chatRoad, messagesRoad, genaiRoad, responsesRoad];

/** The dialect of each protocol: at its hosts requests pass verbatim. */
export const HOME: Readonly<Record<Road['name'], Destination['dialect']>> = {
  chat: 'openai-chat',
  messages: 'anthropic-messages',
  genai: 'google-generate',
  responses: 'openai-responses',
};

export type Pair = Destination & { readonly road: Road; readonly pair: string };

export const EVERY_PAIR: readonly Pair[] = EVERY_ROAD.flatMap((road) =>
  DESTINATIONS.map((destination) => ({ ...destination, road, pair: `${road.name} to ${destination.dialect}` })),
);
