/** The member names of the canonical types, read from their source: types are gone at run time, their text is not. */
import { files, read } from './tree.ts';

const FOLDER = 'packages/protocol/src/canonical';
/** Not vocabulary of calls and answers: model lists, tables about kinds, and names for names. */
const BESIDE: ReadonlySet<string> = new Set([
  'EmbedLoss',
  'RerankLoss',
  'FaultRule',
  'FieldLoss',
  'ImageLoss',
  'JsonExtras',
  'JsonObject',
  'Row',
  'SpeechLoss',
  'TranscriptionLoss',
  'VideoLoss',
]);
const BESIDE_FILES: ReadonlySet<string> = new Set([`${FOLDER}/model-card.ts`]);

const TYPE = /^(?:export )?type (\w+) =/gm;
const MEMBER = /\breadonly (\w+)\??:/g;

export type CanonicalType = { readonly name: string; readonly file: string; readonly members: ReadonlySet<string> };

export const canonicalTypes: readonly CanonicalType[] = files
  .filter((file) => file.startsWith(`${FOLDER}/`) && !file.endsWith('.test.ts') && !BESIDE_FILES.has(file))
  .flatMap((file) => typesOf(file, read(file)))
  .filter(({ name, members }) => members.size > 0 && !BESIDE.has(name));

function typesOf(file: string, source: string): CanonicalType[] {
  return [...source.matchAll(TYPE)].map((match) => {
    const rest = source.slice(match.index + match[0].length);
    const end = rest.search(/^(?:export|type|const|function|\/\*\*)/m);
    const body = end === -1 ? rest : rest.slice(0, end);
    return { name: match[1] ?? '', file, members: new Set([...body.matchAll(MEMBER)].map(([, name = '']) => name)) };
  });
}
