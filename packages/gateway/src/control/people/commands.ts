/** `trivium people …` */
import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type { PersonPreview, PersonQuery } from './contract.ts';

export const peopleCommands: CommandGroup = {
  group: 'people',
  about: 'people who sign in: what they get, and why',
  commands: [
    commandFor<PersonPreview, Static<typeof PersonQuery>>()({
      command: 'people preview <email>',
      about: 'show what a person gets, and which rule and group decided it',
      call: 'GET /people/preview',
      options: {
        email: ['<email>', 'mail address of the person'],
        groups: ['--groups <names>', 'groups to decide by, comma-separated, in place of those of the last sign-in'],
        issuer: ['--issuer <id>', 'issuer of the sign-in'],
      },
    }),
  ],
};
