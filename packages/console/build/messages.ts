/** `virtual:messages/<language>`: the catalogue of a language, compiled, so that no parser is shipped to browsers. */
import { fileURLToPath } from 'node:url';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import type { Plugin } from 'vite';
import { catalogue, usedMessages } from './catalogues.ts';

const PREFIX = 'virtual:messages/';
const SOURCES = fileURLToPath(new URL('../src', import.meta.url));

const english = (): ReadonlyMap<string, string> => new Map([...usedMessages(SOURCES)].map((text) => [text, text]));

export const messages = (): Plugin => ({
  name: 'trivium-messages',
  resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
  load(id) {
    if (!id.startsWith(`\0${PREFIX}`)) return undefined;
    const language = id.slice(PREFIX.length + 1);
    const texts = language === 'en' ? english() : catalogue(SOURCES, language);
    // What reads like its key and takes no arguments is shown as its key.
    const isOwnKey = ([key, text]: readonly [string, string]): boolean => key === text && !/[{}']/.test(text);
    // In order: what begins alike packs smaller.
    const compiled = [...texts]
      .filter((pair) => !isOwnKey(pair))
      .sort()
      .map(([key, text]) => [key, compileMessage(text)]);
    return `export const messages = Object.fromEntries(JSON.parse(${JSON.stringify(JSON.stringify(compiled))}));`;
  },
});
