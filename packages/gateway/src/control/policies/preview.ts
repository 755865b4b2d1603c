/** A recorded request, planned as it would be now, and with a draft of a policy. Nothing is sent, held or stored. */
import type { Caller } from '../../kernel/caller.ts';
import type { PolicySet } from '../../models/policies/policy-set.ts';
import type { UsageEvent } from '../../money/usage/event.ts';
import { EVERY_ACCOUNT } from '../../money/usage/record-query.ts';
import { callerOf } from '../../people/accounts/caller.ts';
import { OPERATOR } from '../../store/postgres/store.ts';
import type { Actor } from '../api/actor.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { routeWith } from '../api/route.ts';
import { callerFor } from '../playground/routes.ts';
import { answerIn, asDryRun, type PlanStep, stepsIn } from '../wire/replay.ts';
import { pathOf, type ReplayCall, replayCall } from '../wire/replay-call.ts';
import { noteReading, readWire } from '../wire/routes.ts';
import { NewPolicyPreview, PolicyPreview } from './contract.ts';
import type { PreviewPorts } from './ports.ts';
import { requireFitting, requireKnown } from './routes.ts';
import { policiesInForce } from './rows.ts';

type Called = Pick<ReplayCall, 'path' | 'headers' | 'body'>;
type Plan = PolicyPreview['before'];

/** What a dry run answers with. */
type Answer = {
  readonly plan?: readonly PlanStep[];
  readonly decision?: {
    readonly decided_by: string;
    readonly policies?: Plan['policies'];
    readonly left_out: readonly (Plan['leftOut'][number] & { readonly context_length?: number })[];
  } | null;
  readonly error?: { readonly message?: string };
};

const HELLO = 'Hello';
const MAX_TOKENS = 16;

/** A short call like the recorded one. Undefined for operations that cannot be planned alone. */
function sampleOf(event: UsageEvent, mounts: PreviewPorts['playground']['mounts']): Called | undefined {
  const { protocol, operation = 'text', details, askedModel: model = event.modelId } = event;
  const tags = Object.entries(details.tags ?? {}).filter(([, value]) => value !== '');
  const headers = {
    ...(protocol === 'messages' && { 'anthropic-version': '2023-06-01' }),
    ...(tags.length > 0 && {
      'x-trivium-tags': tags.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join(','),
    }),
    ...(details.strict === true && { 'x-trivium-strict': 'true' }),
  };
  const call = (mount: string | undefined, path: string, body: object): Called | undefined =>
    mount === undefined ? undefined : { path: `${mount}${path}`, headers, body: JSON.stringify(body) };
  const { chat, messages: anthropic, genai } = mounts;
  const { stream } = details;
  const messages = [{ role: 'user', content: HELLO }];
  const contents = [{ role: 'user', parts: [{ text: HELLO }] }];
  if (operation === 'video' || operation === 'passthrough' || operation === 'transcription') return undefined;
  if (operation === 'moderate') return call(chat, '/moderations', { model, input: HELLO });
  if (operation === 'speech') return call(chat, '/audio/speech', { model, input: HELLO });
  if (protocol === 'genai' && operation !== 'rerank') {
    const action = { text: 'generateContent', embed: 'embedContent', image: 'predict' }[operation];
    const body = { text: { contents }, embed: { content: contents[0] }, image: { instances: [{ prompt: HELLO }] } };
    return call(genai, `/v1${pathOf(model)}:${action}`, body[operation]);
  }
  if (operation === 'rerank') return call(chat, '/rerank', { model, query: HELLO, documents: [HELLO] });
  if (operation === 'embed') return call(chat, '/embeddings', { model, input: HELLO });
  if (operation === 'image') return call(chat, '/images/generations', { model, prompt: HELLO });
  if (protocol === 'messages')
    return call(anthropic, '/v1/messages', { model, max_tokens: MAX_TOKENS, messages, stream });
  if (protocol === 'responses') return call(chat, '/responses', { model, input: HELLO, stream });
  return call(chat, '/chat/completions', { model, messages, stream });
}

async function callOf(
  ports: PreviewPorts,
  actor: Actor,
  event: UsageEvent,
  policy: string,
): Promise<{ readonly basis: PolicyPreview['basis']; readonly call: Called }> {
  const reading = await readWire(ports, EVERY_ACCOUNT, event.requestId);
  const captured = 'wire' in reading ? replayCall(reading.wire, {}) : undefined;
  if ('wire' in reading && typeof captured === 'object') {
    await noteReading(ports, actor, reading.row, 'policy.preview', { policy });
    return { basis: 'captured', call: captured };
  }
  const call = sampleOf(event, ports.playground.mounts);
  if (call === undefined)
    throw new AdminProblem('conflict', 'Requests of this kind cannot be planned again.', 'requestId');
  return { basis: 'record', call };
}

async function callerOfEvent(
  { store, playground, fileKeys }: PreviewPorts,
  actor: Actor,
  { accountId, keyId, memberId }: UsageEvent,
): Promise<Caller> {
  const inFile = fileKeys().find(({ id, account_id }) => id === keyId && account_id === accountId);
  if (inFile !== undefined) return callerOf(keyId, accountId, inFile.rights, memberId);
  return callerFor(store, playground.known, actor, keyId);
}

const planIn = ({ plan = [], decision, error }: Answer): Plan => ({
  refusal: error === undefined ? null : (error.message ?? 'The request would be refused.'),
  plan: stepsIn(plan),
  decidedBy: decision?.decided_by ?? null,
  policies: decision?.policies ?? [],
  leftOut: (decision?.left_out ?? []).map(({ context_length: _length, ...one }) => one),
});

export const previewRoutes = [
  routeWith<PreviewPorts>()({
    method: 'POST',
    path: '/policies/preview',
    name: 'previewPolicy',
    summary:
      'Plans a recorded request as it would be planned now, and with a draft of a policy. Sends and saves nothing.',
    permission: 'operator',
    body: NewPolicyPreview,
    answer: PolicyPreview,
    run: async (asked) => {
      const { store, policies, playground, requests, actor, address, gone, body } = asked;
      const { policy: draft, requestId } = body;
      requireKnown(policies, draft);
      requireFitting(draft, await store.within(OPERATOR, policiesInForce), policies);
      const event = await requests.one(EVERY_ACCOUNT, requestId);
      if (event === undefined || event.accountId === '') throw notFound('Request', requestId);
      const caller = await callerOfEvent(asked, actor, event);
      const { basis, call } = await callOf(asked, actor, event, draft.name);
      const planned = async (set: { readonly policies?: PolicySet }): Promise<Plan> => {
        const message = await playground.call({
          ...asDryRun({ ...call, sealsRemoved: 0, secretsRemoved: 0 }, playground.dryRunPath),
          ...{ caller, address, gone },
          // Both plans draw the same shares.
          engine: { ...set, random: () => 0 },
        });
        return planIn(JSON.parse((await answerIn(message)).body) as Answer);
      };
      return {
        ...{ requestId: event.requestId, account: event.accountId, key: event.keyId, basis },
        model: event.askedModel ?? event.modelId,
        before: await planned({}),
        after: await planned({ policies: await policies.withDraft(draft) }),
      };
    },
  }),
];
