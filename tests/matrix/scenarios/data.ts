/** Things that scenarios share: tools, media, addresses. */

import type { Expected } from '../match.ts';
import type { FunctionTool, Json, ReceivedTurn } from '../meaning.ts';

/** One black pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';
/** The shortest PDF, by its first bytes. */
export const PDF = 'JVBERi0xLjQKJSVFT0YK';
/** A sound of no length. */
export const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';
export const IMAGE_URL = 'https://example.com/pixel.png';

export const CITY: Json = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
export const tool = (name: string): FunctionTool => ({ name, about: `Tells the ${name}.`, schema: CITY });
export const TOOLS = ['weather', 'clock', 'news'].map(tool);

export const CITY_ARGUMENTS = (text: string): boolean =>
  JSON.stringify(JSON.parse(text)) === JSON.stringify({ city: 'example' });

export const says = (text: string) => ({ user: [{ text }] });
export const userTurn = (text: string | RegExp): Expected<ReceivedTurn> => ({ role: 'user', text });
export const assistantTurn = (text: string | RegExp): Expected<ReceivedTurn> => ({ role: 'assistant', text });
export const QUESTION = 'Where do three roads meet?';
/** The simulator's default answer to a question. */
export const ECHO =
  /^You said: “Where do three roads meet\?” This is a simulated answer from \S+: no model was called\.$/;
