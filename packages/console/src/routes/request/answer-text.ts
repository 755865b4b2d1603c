/** What an answer says, in whichever protocol it came, as a stream or whole. */
import { parsed } from '../../format/json-lines.ts';
import { EventReader } from '../../format/sse.ts';
import { type Answer, EMPTY, grown } from '../playground/answer.ts';

const PROTOCOLS = ['chat', 'responses', 'messages', 'genai', 'image'] as const;

export function answerText(body: string): string {
  const events = eventsIn(body);
  for (const protocol of PROTOCOLS) {
    const answer = events.reduce<Answer>((before, event) => grown(protocol, before, event), EMPTY);
    const text = textOf(answer);
    if (text !== '') return text;
  }
  return '';
}

const textOf = ({ text, tools, pictures, links, problem }: Answer): string =>
  [
    text,
    // Positions of calls that are no tools are empty.
    ...tools.flatMap((tool) => (tool === undefined ? [] : [`${tool.name}(${tool.arguments})`])),
    ...pictures.map(({ mime }) => `[${mime}]`),
    ...links,
    problem ?? '',
  ]
    .filter((line) => line !== '')
    .join('\n');

function eventsIn(body: string): readonly unknown[] {
  const whole = parsed(body);
  if (whole !== undefined) return [whole];
  const reader = new EventReader();
  return [...reader.push(body), ...reader.end()].map(parsed).filter((event) => event !== undefined);
}
