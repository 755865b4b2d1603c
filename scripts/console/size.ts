/**
 * `npm run console:size`: how many bytes browsers load, gzipped, against the budget: the first view (sign-in and the list of requests), and
 * everything but the editor, in one language. Builds in memory. The last line is JSON with `ok`.
 */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';

const ROOT = fileURLToPath(new URL('../../packages/console/', import.meta.url));
export const BUDGET = { firstViewBytes: 200_000, allBytes: 323_000 };

export type Sizes = { readonly firstViewBytes: number; readonly allBytes: number };

const FIRST_PAGE = /\/src\/routes\/requests\.tsx$/;
const OTHER_LANGUAGE = /virtual:messages\/(?!en$)/;
const EDITOR = /\/node_modules\/@codemirror\//;

const gzipped = (content: string | Uint8Array): number => gzipSync(content, { level: 9 }).byteLength;

export async function consoleSizes(): Promise<Sizes> {
  const built = await build({ root: ROOT, logLevel: 'error', build: { write: false } });
  const { output } = (Array.isArray(built) ? built[0] : built) as Rolldown.RolldownOutput;
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])));
  const styles = output.flatMap((file) =>
    file.type === 'asset' && file.fileName.endsWith('.css') ? [file.source] : [],
  );
  const starts = [...chunks.values()].filter(
    ({ isEntry, facadeModuleId }) =>
      isEntry || FIRST_PAGE.test(facadeModuleId ?? '') || (facadeModuleId ?? '').endsWith('virtual:messages/en'),
  );
  if (starts.length < 3) throw new Error('the entry, the first page or the messages are not found in the build');
  const needed = new Set<string>();
  const queue = starts.map(({ fileName }) => fileName);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (needed.has(name)) continue;
    needed.add(name);
    queue.push(...(chunks.get(name)?.imports ?? []));
  }
  const first = [...needed].map((name) => chunks.get(name)).filter((chunk) => chunk !== undefined);
  const all = [...chunks.values()].filter(
    ({ facadeModuleId, moduleIds }) =>
      !OTHER_LANGUAGE.test(facadeModuleId ?? '') && !moduleIds.some((id) => EDITOR.test(id)),
  );
  const bytesOf = (files: readonly (string | Uint8Array)[]): number =>
    files.reduce((sum, content) => sum + gzipped(content), 0);
  const codeOf = (some: readonly Rolldown.OutputChunk[]): number => bytesOf(some.map(({ code }) => code));
  // There is one style sheet, and every page loads it.
  return { firstViewBytes: codeOf(first) + bytesOf(styles), allBytes: codeOf(all) + bytesOf(styles) };
}

export const isWithinBudget = ({ firstViewBytes, allBytes }: Sizes): boolean =>
  firstViewBytes <= BUDGET.firstViewBytes && allBytes <= BUDGET.allBytes;

if (import.meta.main) {
  const sizes = await consoleSizes();
  const ok = isWithinBudget(sizes);
  console.log(JSON.stringify({ ok, ...sizes, budget: BUDGET }));
  process.exitCode = ok ? 0 : 1;
}
