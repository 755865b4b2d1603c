/** Nodes and their configuration in the admin API: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { closed, moment, nullable } from '../api/contract.ts';

const count = (description: string) => Type.Integer({ description });
const url = (description: string) => Type.String({ description });

const hash = Type.String({
  description: 'Of all settings as they are shown: nodes with the same hash have the same, secrets apart.',
});
const generation = count('1 at the start; one more with each configuration that was taken over since.');

const Node = Type.Object(
  {
    id: Type.String({ description: 'Machine, process and a name of its own. A worker is a node.' }),
    self: Type.Boolean({ description: 'Whether it is the one that answers.' }),
    hostname: Type.String(),
    pid: Type.Integer(),
    version: Type.String(),
    startedAt: moment('When it started.'),
    seenAt: moment('When it last reported. A node that has not for a minute is no longer listed.'),
    unready: nullable(Type.String({ description: 'Why it is not ready; null: it is.' })),
    generation,
    configHash: hash,
    configLoadedAt: moment('When that configuration took effect.'),
    listeners: Type.Object(
      {
        data: url('Where callers reach it.'),
        admin: url('Where operators do.'),
        members: nullable(url('Where members do.')),
      },
      closed,
    ),
    inFlight: count('Requests under way.'),
    upstreamExchanges: count('Calls of providers under way.'),
    openHolds: count('Holds on money that are not settled.'),
    unpostedSettlements: count('Settlements that the database does not have yet.'),
    usageWaiting: count('Finished requests whose usage the database does not have yet.'),
    loopDelayMs: Type.Number({ description: 'Delay of the event loop, of the last 100 ms.' }),
    residentBytes: count('Memory of the process.'),
    limitsShared: nullable(
      Type.Boolean({ description: 'Whether it counts rate limits with the others; null: it counts alone.' }),
    ),
  },
  { ...closed, $id: 'Node' },
);
export type ShownNode = Static<typeof Node>;

export const Nodes = Type.Object({ items: Type.Array(Node), next: Type.Null() }, { ...closed, $id: 'Nodes' });

const source = Type.Enum(['file', 'environment', 'database', 'default'], {
  description: 'What says so. `database`: a credential that an operator has stored.',
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

export const ConfigurationQuery = Type.Object(
  { node: nodeId('Of this node (default: the one that answers).') },
  closed,
);
export const Configuration = Type.Object(
  { node: Type.String(), hash, items: Type.Array(Setting) },
  { ...closed, $id: 'Configuration' },
);

export const ConfigurationDiffQuery = Type.Object(
  {
    node: nodeId('This node (default: the one that answers).'),
    against: nodeId('Another node (default: the file of the node that answers, as it is now).'),
  },
  closed,
);

export const ConfigurationDiff = Type.Object(
  {
    node: Type.String(),
    against: nullable(Type.String({ description: 'The other node; null: the file.' })),
    needsRestart: Type.Boolean({ description: 'Whether any difference takes effect only with a new process.' }),
    problems: Type.Array(Type.Object({ place: Type.String(), path: Type.String(), message: Type.String() }, closed), {
      description: 'Why the file cannot be taken over; then there are no items.',
    }),
    items: Type.Array(
      Type.Object(
        {
          path,
          change: Type.Enum(['added', 'removed', 'changed'], { description: 'From the node to the other side.' }),
          from: Type.Unknown({ description: 'Of the node; null where it has none.' }),
          to: Type.Unknown({ description: 'Of the other side; null where it has none.' }),
          secret: Type.Boolean({
            description: 'It holds a secret: the values may look alike. Between nodes secrets are not compared.',
          }),
          place: nullable(Type.String({ description: 'Where the other side has it.' })),
          needsRestart: Type.Boolean(),
        },
        { ...closed, $id: 'SettingChange' },
      ),
    ),
  },
  { ...closed, $id: 'ConfigurationDiff' },
);
export type ConfigurationDiff = Static<typeof ConfigurationDiff>;
