/** `trivium members …`: who may act for an account. */

import type { Static } from 'typebox';
import type { FoundMember, Member, MemberChange, MemberQuery, NewMember } from '../accounts/member-contract.ts';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type { SignInCode } from '../sessions/contract.ts';
import type { EndedMember, GonePerson } from './contract.ts';

export const memberCommands: CommandGroup = {
  group: 'members',
  about: 'members of an account',
  commands: [
    commandFor<FoundMember, Static<typeof MemberQuery>>()({
      command: 'members find <text>',
      about: 'find members of all accounts by name or e-mail address',
      call: 'GET /members',
      options: { q: ['<text>', ''] },
      columns: ['name', 'id', 'email', 'role', 'accountId'],
    }),
    commandFor<Member>()({
      command: 'members list <account>',
      about: 'list the members',
      call: 'GET /accounts/{account}/members',
      columns: ['name', 'id', 'email', 'role', 'lastProofAt', 'deactivatedAt'],
    }),
    commandFor<Member, Static<typeof NewMember>>()({
      command: 'members add <account>',
      about: 'add a member',
      call: 'POST /accounts/{account}/members',
      options: {
        name: ['--name <name>', 'display name', { required: true }],
        email: ['--email <email>', 'e-mail address'],
        role: ['--role <role>', 'viewer, developer, admin or owner', { default: 'developer' }],
        isServiceAccount: ['--service', 'a program, not a person: its keys do not depend on sign-ins', { is: true }],
      },
    }),
    commandFor<Member, Static<typeof MemberChange>>()({
      command: 'members role <account> <member> <role>',
      about: "change a member's role",
      call: 'PATCH /accounts/{account}/members/{member}',
      options: { role: ['<role>', ''] },
    }),
    commandFor<Member, Static<typeof MemberChange>>()({
      command: 'members service <account> <member>',
      about: 'mark a member as a service account: its keys do not depend on sign-ins',
      call: 'PATCH /accounts/{account}/members/{member}',
      options: { isServiceAccount: ['--off', 'mark it as a person', { is: false, else: true }] },
    }),
    commandFor<EndedMember>()({
      command: 'members gone <account> <member>',
      about: 'end the keys, sessions and sign-in links of a person who has left',
      call: 'POST /accounts/{account}/members/{member}/gone',
    }),
    commandFor<Member>()({
      command: 'members reactivate <account> <member>',
      about: 'let a deactivated member sign in again; ended keys stay ended',
      call: 'POST /accounts/{account}/members/{member}/reactivate',
    }),
    commandFor<Static<typeof SignInCode>>()({
      command: 'members sign-in <account> <member>',
      about: 'print a link that signs a member in once, within 10 minutes',
      call: 'POST /accounts/{account}/members/{member}/sign-in-code',
    }),
    commandFor<Member>()({
      command: 'members remove <account> <member>',
      about: 'remove a member and revoke its keys',
      call: 'DELETE /accounts/{account}/members/{member}',
    }),
  ],
};

export const goneCommands: CommandGroup['commands'] = [
  commandFor<EndedMember, Static<typeof GonePerson>>()({
    command: 'people gone <person>',
    about:
      'end the keys, sessions, sign-in links and signed-in programs of a person who has left, by mail address or id',
    call: 'POST /people/gone',
    options: { person: ['<person>', ''] },
    columns: ['accountId', 'memberId', 'name', { of: 'keys.name', title: 'keys' }, 'sessions', 'signInCodes', 'grants'],
    rowsIn: 'items',
  }),
];
