// `trivium catalogue list`: the models of the catalogue and who serves them.

import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';

interface ListOptions {
  readonly owner?: string;
  readonly json?: true;
}

export const addCatalogueList = (parent: Command, terminal: Terminal): void => {
  parent
    .command('list')
    .description('list the models of the catalogue')
    .option('--owner <owner>', 'only models of this owner, e.g. openai')
    .option('--json', 'print JSON')
    .action(async (options: ListOptions) => {
      const { listShippedModels } = await import('@trivium/gateway/catalogue');
      const all = await listShippedModels();
      const models = all.filter((model) => options.owner === undefined || model.owner === options.owner);
      if (models.length === 0) {
        const owners = [...new Set(all.map((model) => model.owner))].sort();
        throw new Error(`no models of "${options.owner}"; owners: ${owners.join(', ')}`);
      }
      const rows = models.map(({ owner: _owner, ...row }) => row);
      if (options.json) {
        terminal.print(JSON.stringify(rows, null, 2));
        return;
      }
      const width = Math.max(...rows.map((row) => row.id.length));
      for (const row of rows) terminal.print(`${row.id.padEnd(width)}  ${row.providers.join(', ')}`);
    });
};
