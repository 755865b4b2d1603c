// The README names every scenario, fault and key, so it cannot become outdated.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { faultTable } from './faults/fault-names.ts';
import { instructionKeys } from './instruction.ts';
import { scenarioNames } from './scenarios/table.ts';

test('names every scenario, fault and key of the simulator', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const names = [...scenarioNames(), ...Object.keys(faultTable), ...instructionKeys];
  expect(names.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});
