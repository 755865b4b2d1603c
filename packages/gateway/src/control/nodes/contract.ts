/** Nodes and their configuration in the admin API: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { closed, moment, nullable } from '../api/contract.ts';

const count = (description: string) => Type.Integer({ description });
const url = (description: string) => Type.String({ description });

const hash = Type.String({
  description: 'Hash of all shown settings: nodes with equal hashes have equal settings, except secrets.',
});
const generation = count('Number of configurations applied since the start.');

const Node = Type.Object(
  {
    id: Type.String({ description: 'Machine, process and a name of its own. A worker is a node.' }),
    self: Type.Boolean({ description: 'Whether it is the answering node.' }),
    hostname: Type.String(),
    pid: Type.Integer(),
    version: Type.String(),
    startedAt: moment('Start time.'),
    seenAt: moment('Time of the last report. Nodes silent for a minute are not listed.'),
    unready: nullable(Type.String({ description: 'Why it is not ready; null: it is.' })),
    generation,
    configHash: hash,
    configLoadedAt: moment('Time the configuration took effect.'),
    listeners: Type.Object(
      {
        data: url('Address for callers.'),
        admin: url('Address for operators.'),
        members: nullable(url('Address for members.')),
      },
      closed,
    ),
    inFlight: count('Requests in progress.'),
    upstreamExchanges: count('Calls to providers in progress.'),
    openHolds: count('Holds on money that are not settled.'),
    unpostedSettlements: count('Settlements not yet in the database.'),
    usageWaiting: count('Finished requests whose usage is not yet in the database.'),
    loopDelayMs: Type.Number({ description: 'Delay of the event loop, of the last 100 ms.' }),
    residentBytes: count('Memory of the process.'),
    limitsShared: nullable(
      Type.Boolean({ description: 'Whether rate limits are shared with other nodes. Null: counted alone.' }),
    ),
  },
  { ...closed, $id: 'Node' },
);
export type ShownNode = Static<typeof Node>;

export const Nodes = Type.Object({ items: Type.Array(Node), next: Type.Null() }, { ...closed, $id: 'Nodes' });

const source = Type.Enum(['file', 'environment', 'database', 'default'], {
  description: 'Source of the value. `database`: a credential stored by an operator.',
});
const path = Type.String({ description: '`limits.jsonDepth`; an entry of a list has its name or id: `keys.ci`.' });
const place = nullable(Type.String({ description: '`trivium.yaml:12:5`, or the variable of the environment.' }));
const value = Type.Unknown({
  description: 'Secrets are `[redacted]`, or the reference that the file has, such as `env:NAME`.',
});

const Setting = Type.Object({ path, value, source, place }, { ...closed, $id: 'Setting' });
export type ShownSetting = Static<typeof Setting>;

const MAX_NODE_ID = 300;
const nodeId = (description: string) => Type.Optional(Type.String({ maxLength: MAX_NODE_ID, description }));

export const ConfigurationQuery = Type.Object({ node: nodeId('Node id (default: the answering node).') }, closed);
export const Configuration = Type.Object(
  { node: Type.String(), hash, items: Type.Array(Setting) },
  { ...closed, $id: 'Configuration' },
);

export const ConfigurationDiffQuery = Type.Object(
  {
    node: nodeId('Node id (default: the answering node).'),
    against: nodeId('Node to compare with (default: the current file of the answering node).'),
  },
  closed,
);

export const ConfigurationDiff = Type.Object(
  {
    node: Type.String(),
    against: nullable(Type.String({ description: 'The other node; null: the file.' })),
    needsRestart: Type.Boolean({ description: 'Whether any difference takes effect only with a new process.' }),
    problems: Type.Array(Type.Object({ place: Type.String(), path: Type.String(), message: Type.String() }, closed), {
      description: 'Why the file is not valid; `items` is empty then.',
    }),
    items: Type.Array(
      Type.Object(
        {
          path,
          change: Type.Enum(['added', 'removed', 'changed'], {
            description: 'Change from the node to the other side.',
          }),
          from: Type.Unknown({ description: 'Value at the node. Null: absent.' }),
          to: Type.Unknown({ description: 'Value at the other side. Null: absent.' }),
          secret: Type.Boolean({
            description: 'Whether the setting is a secret; secrets are not compared between nodes.',
          }),
          place: nullable(Type.String({ description: 'Position at the other side.' })),
          needsRestart: Type.Boolean(),
        },
        { ...closed, $id: 'SettingChange' },
      ),
    ),
  },
  { ...closed, $id: 'ConfigurationDiff' },
);
export type ConfigurationDiff = Static<typeof ConfigurationDiff>;
