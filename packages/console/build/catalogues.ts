/**
 * Messages of the interface: English is in the sources, as the first argument of `t` and `msg`; other languages are in files. Titles of
 * columns that a contract describes may come with theirs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const LANGUAGES = ['de', 'zh-Hans'] as const;

const MESSAGE = /\b(?:t|msg)\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\$])*)`)/g;

export const messagesIn = (source: string): readonly string[] =>
  [...source.matchAll(MESSAGE)].map(([, single, double, back]) =>
    (single ?? double ?? back ?? '').replaceAll(/\\(.)/g, '$1'),
  );

export function usedMessages(sources: string): ReadonlySet<string> {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts'),
  );
  const titles = describedTitles(sources).flatMap(({ title }) => title ?? []);
  return new Set([...files.flatMap((name) => messagesIn(readFileSync(join(sources, name), 'utf8'))), ...titles]);
}

/** By language; `title` is English. */
const describedTitles = (sources: string): readonly Readonly<Record<string, string>>[] =>
  Object.values(JSON.parse(readFileSync(join(sources, 'api/columns.json'), 'utf8')) as object).flat();

/** One file for each part of the console, so that pages can be translated separately. A message that several show is in several. */
export function catalogueEntries(sources: string, language: string): readonly (readonly [string, string])[] {
  const folder = join(sources, 'i18n', language);
  const inFiles = readdirSync(folder).flatMap((name) =>
    Object.entries(JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, string>),
  );
  const described = describedTitles(sources).flatMap(({ title, [language]: text }) =>
    title === undefined || text === undefined ? [] : [[title, text] as const],
  );
  return [...inFiles, ...described];
}

export const catalogue = (sources: string, language: string): ReadonlyMap<string, string> =>
  new Map(catalogueEntries(sources, language));
