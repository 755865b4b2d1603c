/** `trivium prices …`: prices that replace the catalogue's from a date on, and per-account discounts and markups. */

import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type { NewPrice, NewTerms, Price, PriceVersion, Terms } from './contract.ts';

export const priceCommands: CommandGroup = {
  group: 'prices',
  about: 'prices, discounts and markups set in the database',
  commands: [
    commandFor<Price>()({
      command: 'prices list',
      about: 'list prices that were set, withdrawn ones included',
      call: 'GET /prices',
      columns: ['model', 'provider', 'from', 'until', 'withdrawnAt', 'id', 'pricings'],
    }),
    commandFor<Price, Static<typeof NewPrice>>()({
      command: 'prices set <model> <provider>',
      about: 'set prices of a model at a provider',
      call: 'POST /prices',
      options: {
        model: ['<model>', ''],
        provider: ['<provider>', ''],
        '-price': [
          '--price <kind=usd...>',
          'e.g. prompt=2.5 image=0.04/perCount; per million tokens unless /perCount or /perSecond follows',
        ],
        '-file': ['--file <path>', 'JSON file with prices in the form of the catalogue'],
        dialect: ['--dialect <name>', 'only for this wire format of the provider'],
        from: ['--from <day>', 'start date, UTC (default: now)'],
        until: ['--until <day>', 'end date, exclusive, UTC'],
      },
    }),
    commandFor<Price>()({
      command: 'prices withdraw <id>',
      about: 'withdraw prices that were set',
      call: 'DELETE /prices/{id}',
    }),
    commandFor<Static<typeof PriceVersion>>()({
      command: 'prices version <version>',
      about: 'show the prices of a price version named on a bill',
      call: 'GET /price-versions/{version}',
    }),
    commandFor<Terms, Static<typeof NewTerms>>()({
      command: 'prices terms <account> [percent]',
      about: 'list discounts and markups of an account; with a percentage, set one',
      call: 'GET /accounts/{account}/terms',
      change: 'POST /accounts/{account}/terms',
      options: {
        changePercent: [
          '[percent]',
          '+15 is a markup, -20 a discount, none removes it',
          { form: 'percent', words: { none: null } },
        ],
        from: ['--from <day>', 'start date, UTC (default: now)'],
      },
      columns: ['from', 'changePercent', 'createdAt'],
    }),
  ],
};
