// `trivium dev`: gateway and simulator in one process with a fresh key, and a line to paste that streams an answer.

import { describeConfigProblem, loadConfig, newKeySecret, startGateway } from '@trivium/gateway';
import { startSimulator } from '@trivium/simulator';
import type { Command } from 'commander';
import { openLog } from '../open-log.ts';
import { parsePort } from '../ports.ts';
import { stopOnSignals } from '../shutdown.ts';
import type { Terminal } from '../terminal.ts';

const DEFAULT_PORT = 8080;
const DEV_MODEL = 'simulator/echo';
const SIMULATED_MODEL = 'gpt-4o-mini';

const freePrice = [{ value: '0', unit: 'perMTokens', currency: 'USD' }];

const configText = (options: { readonly port: number; readonly simulatorUrl: string }): string =>
  JSON.stringify({
    listen: { host: '127.0.0.1', port: options.port },
    admin: { port: 0 },
    keys: [{ name: 'dev', secret: 'env:TRIVIUM_DEV_KEY' }],
    providers: {
      simulator: {
        displayName: 'Simulator',
        dialect: 'openai-chat',
        baseUrl: `${options.simulatorUrl}/openai/v1`,
        credential: 'env:TRIVIUM_DEV_UPSTREAM_KEY',
      },
    },
    models: [
      {
        id: DEV_MODEL,
        description: 'The simulator, for trying things out.',
        endpoints: [
          {
            provider: 'simulator',
            upstreamModel: SIMULATED_MODEL,
            pricings: { prompt: freePrice, completion: freePrice },
          },
        ],
      },
    ],
    log: { level: 'warn' },
  });

export const curlLine = (gatewayUrl: string, secret: string): string =>
  [
    `curl -N ${gatewayUrl}/api/v1/chat/completions`,
    `-H 'Authorization: Bearer ${secret}'`,
    `-H 'Content-Type: application/json'`,
    `-d '{"model":"${DEV_MODEL}","stream":true,"messages":[{"role":"user","content":"Hello"}]}'`,
  ].join(' ');

export const dev = async (port: number, terminal: Terminal): Promise<void> => {
  const simulator = await startSimulator();
  const secret = newKeySecret();
  const outcome = loadConfig({
    text: configText({ port, simulatorUrl: simulator.url }),
    env: {
      TRIVIUM_LOG_LEVEL: terminal.env['TRIVIUM_LOG_LEVEL'],
      TRIVIUM_DEV_KEY: secret,
      TRIVIUM_DEV_UPSTREAM_KEY: newKeySecret(),
    },
  });
  if ('problems' in outcome) {
    await simulator.close();
    throw new Error(outcome.problems.map(describeConfigProblem).join('\n'));
  }
  const { config } = outcome;
  const log = openLog(config.log.level, terminal);
  const gateway = await startGateway({ config, log });
  terminal.print(`gateway:   ${gateway.url}`);
  terminal.print(`admin:     ${gateway.adminUrl}`);
  terminal.print(`simulator: ${simulator.url}`);
  terminal.print(`key:       ${secret}`);
  terminal.print('');
  terminal.print('Try it:');
  terminal.print(curlLine(gateway.url, secret));
  await stopOnSignals(terminal, async () => {
    await gateway.close();
    await simulator.close();
    log.flush();
  });
};

export const addDev = (parent: Command, terminal: Terminal): void => {
  parent
    .command('dev')
    .description('run gateway and simulator together, with a key made for the occasion')
    .option('--port <port>', 'port of the gateway; 0 takes any free one', parsePort, DEFAULT_PORT)
    .action((options: { readonly port: number }) => dev(options.port, terminal));
};
