// Writes docs/reference/data-plane-api.json, the OpenAPI document of the data plane, and the tables of its page; with --check
// it only says whether they are stale.
// Run: node --conditions=trivium-source scripts/docs/generate-data-plane-api.ts [--check]

import { readFileSync } from 'node:fs';
import { dataPlaneDocument } from './data-plane/document.ts';
import { OPERATIONS } from './data-plane/operations.ts';
import { code, tableRow, writeOrCheck } from './generated-document.ts';

const SCRIPT = 'scripts/docs/generate-data-plane-api.ts';
const PAGE = new URL('../../docs/reference/data-plane-api.md', import.meta.url);
const MARK = '<!-- generated from here on -->';

const tables = (): string =>
  (['chat', 'messages', 'genai'] as const)
    .map((protocol) => {
      const rows = OPERATIONS.filter((operation) => operation.protocol === protocol).map(
        ({ method, path, summary, body, streams }) =>
          tableRow([
            code(`${method.toUpperCase()} ${path}`),
            `${summary}${streams === undefined ? '' : streams === 'always' ? ' Streams.' : ' Streams with `stream: true`.'}`,
            body === undefined ? '–' : code(body),
          ]),
      );
      return `## ${protocol}\n\n| Call | Does | Body |\n|---|---|---|\n${rows.join('\n')}\n`;
    })
    .join('\n');

if (import.meta.main) {
  writeOrCheck({
    target: new URL('../../docs/reference/data-plane-api.json', import.meta.url),
    script: SCRIPT,
    text: `${JSON.stringify(dataPlaneDocument(), null, 2)}\n`,
  });
  const [intro = ''] = readFileSync(PAGE, 'utf8').split(MARK);
  writeOrCheck({ target: PAGE, script: SCRIPT, text: `${intro}${MARK}\n\n${tables()}` });
}
