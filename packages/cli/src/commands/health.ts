// `trivium health`: whether the gateway of this configuration is ready, as an exit code. For containers, which have no curl.

import type { Command } from 'commander';
import { withConfigOption } from '../config-option.ts';
import type { Terminal } from '../terminal.ts';

const LIMIT_MS = 4000;
/** Addresses to listen on that are not addresses to call. */
const ANY: ReadonlySet<string> = new Set(['0.0.0.0', '::', '']);

const urlOf = ({ host, port }: { readonly host: string; readonly port: number }): string => {
  const name = ANY.has(host) ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}/readyz`;
};

export const addHealth = (parent: Command, terminal: Terminal): void => {
  withConfigOption(
    parent
      .command('health')
      .description('ask a running gateway on this machine whether it is ready (exit code 0 or 1)'),
  ).action(async ({ config }: { readonly config?: string }) => {
    const { readConfig } = await import('../read-config.ts');
    const { describeConfigProblem } = await import('@trivium/gateway/config');
    const outcome = readConfig(config, terminal.env, true);
    if ('problems' in outcome) throw new Error(outcome.problems.map(describeConfigProblem).join('\n'));
    const url = urlOf(outcome.config.listen);
    const reply = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) }).catch((error: Error) => {
      throw new Error(`${url} does not answer: ${error.cause instanceof Error ? error.cause.message : error.message}`);
    });
    terminal.print(`${reply.status} ${(await reply.text()).trim()}`);
    if (!reply.ok) terminal.setExitCode(1);
  });
};
