/**
 * `npm run docs:check [-- --no-build --no-browser --pictures <folder>]`: builds the site and checks it: no dead link, a
 * place in the map, a title and a description for every page, the readers' questions within three clicks and three hits, and a look
 * at it in a browser. The last line is JSON.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../docs/.vitepress/links.ts';
import { PAGES, unmappedPages } from '../../docs/.vitepress/map.ts';
import { browserProgram, lookAtSite } from './site/browser.ts';
import { clicksTo, deadLinks, readSite } from './site/built-site.ts';
import { QUESTIONS, TERMS } from './site/questions.ts';
import { openSearch } from './site/search-index.ts';
import { SEARCHES } from './site/searches.ts';

const SITE = join(ROOT, 'dist/site');
const MAX_CLICKS = 3;
const MAX_HITS = 3;
const DESCRIPTION_LIMIT = 150;
/** Loaded when a reader opens the search box; about a quarter of it is sent over the wire. */
/** Loaded with the first search; about 3 KB a page. */
const INDEX_LIMIT_BYTES = 1_150_000;

const { values } = parseArgs({
  options: {
    'no-build': { type: 'boolean', default: false },
    'no-browser': { type: 'boolean', default: false },
    pictures: { type: 'string' },
  },
});
const problems: string[] = [];

for (const file of unmappedPages())
  problems.push(`${file} has no place in docs/map.yaml: add it there with a description`);

if (!values['no-build']) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/vitepress/bin/vitepress.js'), 'build', join(ROOT, 'docs')],
    { encoding: 'utf8' },
  );
  if (status !== 0) problems.push(`the site does not build:\n${`${stdout}${stderr}`.slice(-3000)}`);
}

const pages = readSite(SITE);
problems.push(...deadLinks(SITE, pages).map((link) => `dead link in ${link}`));

const sitePath = (path: string): string => path.replace(/README$/, 'index');
for (const { path, about } of PAGES) {
  const built = pages.get(sitePath(path));
  if (built === undefined) problems.push(`${path} is in the map and not on the site`);
  else if (built.title.replace(/ \| Trivium$/, '') === '') problems.push(`${path} has no title`);
  else if (built.description !== about) problems.push(`${path}: its description is "${built.description}"`);
  if (about === '' || about.length > DESCRIPTION_LIMIT) problems.push(`${path}: its description is empty or too long`);
}

const clicks = clicksTo(pages);
const search = await openSearch(SITE);
let [answered, found] = [0, 0];
for (const { asks, page, anchor } of QUESTIONS) {
  const before = problems.length;
  const distance = clicks.get(page);
  if (distance === undefined || distance > MAX_CLICKS) problems.push(`"${asks}": ${page} is ${distance} clicks away`);
  if (anchor !== undefined && !pages.get(page)?.anchors.has(anchor)) problems.push(`"${asks}": no ${page}#${anchor}`);
  const hits = search.hits(asks, MAX_HITS);
  if (!hits.includes(page)) problems.push(`"${asks}": ${page} is not among the first hits: ${hits.join(', ')}`);
  if (problems.length === before) answered++;
}
for (const [term, page] of TERMS) {
  const hits = search.hits(term, MAX_HITS);
  if (hits.includes(page)) found++;
  else problems.push(`"${term}": ${page} is not among the first hits: ${hits.join(', ')}`);
}
let searched = 0;
for (const [query, ...pages] of SEARCHES) {
  const hits = search.hits(query, MAX_HITS);
  if (pages.some((page) => hits.includes(page))) searched++;
  else problems.push(`search "${query}": none of ${pages.join(', ')} is among the first hits: ${hits.join(', ')}`);
}
if (search.bytes > INDEX_LIMIT_BYTES) problems.push(`the search index has ${search.bytes} bytes`);

const program = values['no-browser'] ? undefined : browserProgram();
if (program !== undefined) problems.push(...(await lookAtSite(SITE, program, values.pictures)));
else console.log('SKIPPED the look at the site in a browser: there is no chromium, or it was not asked for');

for (const problem of problems) console.log(`FAIL ${problem}`);
console.log(
  JSON.stringify({
    ok: problems.length === 0,
    pages: pages.size,
    questions: `${answered}/${QUESTIONS.length}`,
    terms: `${found}/${TERMS.length}`,
    searches: `${searched}/${SEARCHES.length}`,
    searchIndexBytes: search.bytes,
    browser: program !== undefined,
    problems: problems.length,
  }),
);
process.exit(problems.length === 0 ? 0 : 1);
