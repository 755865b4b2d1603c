/** `npm run matrix [-- scenario…]`: plays every cell, prints what became of it, and fails when one is missing. */
import { openMatrixStand, PAIRS, SCENARIOS } from './matrix.ts';
import { INBOUND } from './meaning.ts';
import { openRowsStand, ROWS, runRowCell } from './rows.ts';
import { runCell, type Verdict } from './run-cell.ts';
import type { Scenario } from './scenario.ts';

const MARKS: Readonly<Record<Verdict['kind'], string>> = {
  carried: '✓',
  lossy: '~',
  refused: '✗',
  unspoken: '·',
  wrong: '!',
};
const LEGEND = `Columns: ${INBOUND.join(', ')} callers, each to openai-chat, anthropic-messages, google-generate,
openai-responses and amazon-converse upstreams; whole answer, then stream. ✓ carried  ~ carried but for reported losses
✗ refused with 400  · the caller's protocol has no words for it  ! missing`;

class Tally {
  cells = 0;
  unsupported = 0;
  readonly missing: string[] = [];
  readonly notes = new Map<string, Set<string>>();

  add(scenario: string, pair: string, stream: boolean, verdict: Verdict): void {
    this.cells += 1;
    switch (verdict.kind) {
      case 'carried':
        return;
      case 'lossy':
        this.#note(`${scenario} loses ${verdict.losses.join(', ')}`, pair);
        return;
      case 'refused':
        this.unsupported += 1;
        this.#note(`${scenario}, refused: ${verdict.why}`, pair);
        return;
      case 'unspoken':
        this.unsupported += 1;
        this.#note(`${scenario}: ${verdict.why}`, pair);
        return;
      case 'wrong':
        this.missing.push(
          [`${scenario}, ${pair}, ${stream ? 'streamed' : 'whole'}:`, ...verdict.problems].join('\n    '),
        );
    }
  }

  #note(what: string, pair: string): void {
    this.notes.set(what, (this.notes.get(what) ?? new Set()).add(pair));
  }
}

const only = process.argv.slice(2);
const chosen = SCENARIOS.filter(({ name }) => only.length === 0 || only.includes(name));
const nameWidth = Math.max(0, ...chosen.map(({ name }) => name.length)) + 1;
const tally = new Tally();
const stand = await openMatrixStand();

async function line(scenario: Scenario): Promise<string> {
  let marks = '';
  for (const { inbound, outbound } of PAIRS) {
    marks += outbound === 'openai-chat' ? '  ' : ' ';
    for (const stream of [false, true]) {
      const verdict = await runCell(stand, scenario, { inbound, outbound, stream });
      tally.add(scenario.name, `${inbound} to ${outbound}`, stream, verdict);
      marks += MARKS[verdict.kind];
    }
  }
  return scenario.name.padEnd(nameWidth) + marks;
}

console.log(`${LEGEND}\n`);
console.log(`${' '.repeat(nameWidth)}${INBOUND.map((inbound) => `  ${inbound.padEnd(11)}`).join('')}`.trimEnd());
for (const scenario of chosen) console.log(await line(scenario));
const rowsStand = await openRowsStand();
for (const row of ROWS.filter(({ name }) => only.length === 0 || only.includes(name))) {
  console.log(`\n${row.name}${row.events ? ', whole and as events' : ''}`);
  for (const model of row.models) {
    let marks = '';
    for (const stream of row.events ? [false, true] : [false]) {
      const verdict = await runRowCell(rowsStand, row, model, stream);
      tally.add(row.name, model, stream, verdict);
      marks += MARKS[verdict.kind];
    }
    console.log(`${marks.padEnd(3)}${model}`);
  }
}
await rowsStand.close();
console.log('\nHoles and losses');
for (const [what, pairs] of tally.notes) console.log(`- ${what} (${[...pairs].join('; ')})`);
for (const text of tally.missing) console.log(`\n! ${text}`);
console.log(`\ncells ${tally.cells}, unsupported ${tally.unsupported}, missing ${tally.missing.length}`);
await stand.close();
process.exitCode = tally.missing.length === 0 ? 0 : 1;
