// `trivium catalogue check`: problems of the shipped catalogue, and counts of what it holds.

import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';

const countsOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

export const addCatalogueCheck = (parent: Command, terminal: Terminal): void => {
  parent
    .command('check')
    .description('check the catalogue and count what it holds')
    .option('--json', 'print the counts as JSON')
    .action(async (options: { readonly json?: true }) => {
      const { builtDialects, checkCatalogue, describeProblem, loadCatalogue, providerSet } = await import(
        '@trivium/gateway/config'
      );
      const knownProviders = providerSet().ids;
      const loaded = await loadCatalogue({ knownProviders });
      const census = checkCatalogue(loaded, { builtDialects: await builtDialects(), knownProviders });
      for (const problem of loaded.problems) terminal.error(describeProblem(problem));
      if (loaded.problems.length > 0) terminal.setExitCode(1);
      if (options.json) {
        terminal.print(JSON.stringify(census, null, 2));
        return;
      }
      terminal.print(`${census.models} models of ${census.owners} owners, as of ${census.asOf}`);
      terminal.print(`${census.endpoints} endpoints at ${census.hosts} hosts`);
      terminal.print(`${census.reachableModels} models can be called by this version`);
      terminal.print(`${census.retiringModels} models are retiring, ${census.retiredModels} are retired`);
      terminal.print(
        `endpoints of wire formats not built yet: ${countsOf(census.endpointsOfUnbuiltDialects) || 'none'}`,
      );
      terminal.print(`endpoints at hosts not known yet: ${countsOf(census.endpointsOfUnknownHosts) || 'none'}`);
      terminal.print(`problems: ${census.problems}`);
    });
};
