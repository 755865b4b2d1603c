/** Bodies of generate content and which of their fields is refused, for the validation tests. */
import type { JsonObject } from '../../canonical/json.ts';
import { fieldOf } from '../dialect.fixture.ts';
import type { RequestHead, Understanding } from '../dialect.ts';
import { googleGenerate } from './index.ts';

export const head: RequestHead = { model: 'google/m', stream: false, header: () => undefined };
export const text: JsonObject = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
export const withConfig = (generationConfig: unknown): JsonObject => ({ ...text, generationConfig }) as JsonObject;

export const understand = (body: JsonObject, own: RequestHead = head): Understanding =>
  googleGenerate.server.understand(body, own);
export const refused = (body: unknown): string | undefined => fieldOf(() => understand(body as JsonObject));
