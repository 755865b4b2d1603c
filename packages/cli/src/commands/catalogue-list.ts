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
      const { loadCatalogue, providerSet } = await import('@trivium/gateway');
      const { snapshot } = await loadCatalogue({ knownProviders: providerSet().ids });
      const models = snapshot.models.filter((model) => options.owner === undefined || model.owner === options.owner);
      if (models.length === 0 && options.owner !== undefined) {
        const owners = [...new Set(snapshot.models.map((model) => model.owner))].sort();
        terminal.error(`no model of "${options.owner}"; owners: ${owners.join(', ')}`);
        terminal.setExitCode(1);
        return;
      }
      const rows = models.map((model) => ({
        id: model.id,
        displayName: model.displayName,
        providers: [...new Set(model.endpoints.map((endpoint) => endpoint.provider))],
        contextLength: model.contextLength,
        inputModalities: model.inputModalities,
        outputModalities: model.outputModalities,
      }));
      if (options.json) {
        terminal.print(JSON.stringify(rows, null, 2));
        return;
      }
      const width = Math.max(...rows.map((row) => row.id.length));
      for (const row of rows) terminal.print(`${row.id.padEnd(width)}  ${row.providers.join(', ')}`);
    });
};
