/** `npm run release:notes -- 1.2.3`: the section of that version in CHANGELOG.md, as the notes of its release. */
import { readFileSync } from 'node:fs';

/** The text below the heading of a version, up to the next one. Links to files of the repository lead nowhere from there, so their texts stay alone. */
export function notesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((each) => each.startsWith(`[${version}]`));
  const notes = section?.slice(section.indexOf('\n')).trim() ?? '';
  if (notes === '') throw new Error(`CHANGELOG.md says nothing of ${version}`);
  return `${notes.replaceAll(/\[([^\]]*)\]\((?!https?:)[^)]*\)/g, '$1')}\n`;
}

if (import.meta.main)
  process.stdout.write(
    notesOf(readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'), process.argv[2] ?? ''),
  );
