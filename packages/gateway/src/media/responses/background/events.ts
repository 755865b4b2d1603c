/** The events of a response made in the background: numbered from 0, without gaps, whatever its host called them. */
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '@trivium/protocol/canonical';
import { scanMembers, splice } from '@trivium/protocol/framing';

export type ResponseEvent = { readonly type: string; readonly data: string };

/** Their texts follow from the response as it was queued, so they are not stored. */
export const queuedEvents = (shown: JsonObject): readonly ResponseEvent[] =>
  ['response.created', 'response.queued'].map((type, at) => eventOf(type, { response: shown }, at));

/** The number of the first event that a run makes. */
export const FIRST_OF_RUN = 2;

const eventOf = (type: string, members: JsonObject, sequence: number): ResponseEvent => ({
  type,
  data: JSON.stringify({ type, sequence_number: sequence, ...members }),
});

/** The gateway wrote it, or checked it. */
const MAX_DEPTH = 1000;

/** The same with another number; all else stays as it was written. */
export const numbered = (data: string, sequence: number): string =>
  splice(data, scanMembers(data, MAX_DEPTH), [{ name: 'sequence_number', value: String(sequence) }]);

/** Undefined if it is none. */
export function eventIn(data: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(data);
    return isJsonObject(value) && stringAt(value, 'type') !== undefined ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The response in an event, as it was written. */
export function responseText(data: string): string {
  const member = scanMembers(data, MAX_DEPTH).find(({ name }) => name === 'response');
  return member === undefined ? '{}' : data.slice(member.valueStart, member.valueEnd);
}

export const responseIn = (event: JsonObject): JsonObject | undefined => objectAt(event, 'response');

/** As they are sent. */
export const eventText = ({ type, data }: ResponseEvent): string => `event: ${type}\ndata: ${data}\n\n`;

export const numberedFrom = (
  first: number,
  events: readonly ResponseEvent[],
): readonly { readonly sequence: number; readonly event: ResponseEvent }[] =>
  events.map((event, at) => ({ sequence: first + at, event }));
