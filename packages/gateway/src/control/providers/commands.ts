/** `trivium providers …`: hosts and their stored credentials. The command line reads a credential from the environment or a file. */

import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type {
  CredentialTrial,
  CredentialVerdict,
  Host,
  NewCredential,
  ProviderDetail,
  ProviderQuery,
  Release,
  Released,
  Rewrapped,
  ShownProvider,
} from './contract.ts';

export const providerCommands: CommandGroup = {
  group: 'providers',
  about: 'providers and their stored credentials',
  commands: [
    commandFor<ShownProvider, ProviderQuery>()({
      command: 'providers list',
      about: 'list providers with their health of the last 24 hours and where their credential comes from',
      call: 'GET /providers',
      options: { all: ['--all', 'built-in providers too that are not configured'] },
      columns: ['id', 'state', 'errorShare', 'p50Ms', 'p95Ms', 'attempts', 'credential', 'models', 'openCircuits'],
    }),
    commandFor<Static<typeof ProviderDetail>>()({
      command: 'providers show <provider>',
      about: 'show the health of a provider, and its circuit breakers as the process that answers sees them',
      call: 'GET /providers/{provider}',
    }),
    commandFor<Static<typeof Released>, Static<typeof Release>>()({
      command: 'providers release <provider>',
      about: 'close the open circuits of a provider on all nodes',
      call: 'POST /providers/{provider}/release',
      options: { model: ['--model <model>', 'only of this model'] },
    }),
    commandFor<Static<typeof Host>, Static<typeof NewCredential>>()({
      command: 'providers set <provider>',
      about: 'store or replace the credential of a provider',
      call: 'POST /providers/{provider}/credential',
      options: {
        '-fromEnv': ['--from-env <name>', 'environment variable with the credential'],
        '-fromFile': ['--from-file <path>', 'file with the credential'],
      },
    }),
    commandFor<Static<typeof CredentialVerdict>, Static<typeof CredentialTrial>>()({
      command: 'providers test <provider>',
      about: 'test a credential by listing the models of the provider',
      call: 'POST /providers/{provider}/test',
      options: {
        '-fromEnv': ['--from-env <name>', 'environment variable with a credential to test'],
        '-fromFile': ['--from-file <path>', 'file with a credential to test'],
      },
      expects: ['verdict', 'works'],
    }),
    commandFor<Static<typeof Host>>()({
      command: 'providers forget <provider>',
      about: 'delete the stored credential of a provider',
      call: 'DELETE /providers/{provider}/credential',
      done: 'deleted',
    }),
    commandFor<Static<typeof Rewrapped>>()({
      command: 'providers rewrap',
      about: 'encrypt all stored credentials anew with the first of secrets.keys',
      call: 'POST /providers/rewrap',
      send: {},
    }),
  ],
};
