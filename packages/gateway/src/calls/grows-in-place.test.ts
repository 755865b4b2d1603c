import { findAnyDialect } from '@trivium/protocol/dialects';
import { DEFAULT_JSON_BOUNDS } from '@trivium/protocol/framing';
import { expect, test } from 'vitest';
import type { Place } from '../kernel/admission.ts';
import type { Caller } from '../kernel/caller.ts';
import type { Accounts } from '../kernel/caller-port.ts';
import type { Target } from '../kernel/target.ts';
import { type AdmitPorts, admit } from './admit/admit.ts';
import { authenticate } from './entry/authenticate.ts';
import { understand } from './entry/understand.ts';
import type { PlanPorts } from './plan/plan-among.ts';
import { resolve } from './plan/resolve.ts';
import type { Identified, Received } from './request.ts';
import { sealingFor } from './seals/envelopes.ts';

const caller: Caller = { keyId: 'k', accountId: 'a', strict: false, mayUse: () => true };
const accounts: Accounts = { find: () => caller };
const target = { provider: 'p' } as unknown as Target;
const model = { id: 'm', outputModalities: new Set(['text']), targets: [target] };
const hold = { settle: () => undefined, release: () => undefined };
const text = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] });

test('each stage adds to the request that it was given, and gives the same one on', async () => {
  const received = {
    id: 'r',
    protocol: 'chat',
    dialect: findAnyDialect('openai-chat'),
    headers: new Map([['authorization', 'Bearer k']]),
    head: {},
    reply: { address: '127.0.0.1' },
  } as unknown as Received;
  const identified = authenticate(received, accounts, false) as Identified;
  const understood = understand(identified, text, DEFAULT_JSON_BOUNDS, sealingFor(['a-key-to-sign-seals-with']));
  const planned = resolve(understood, { directory: { find: () => model } } as unknown as PlanPorts);
  const ports = {
    limits: { claim: (place: object) => place },
    ledger: { hold: () => hold },
    clock: { monotonicMs: () => 0 },
  } as unknown as AdmitPorts;
  const admitted = await admit(planned, { release: () => undefined } as never, ports, undefined);
  expect([identified, understood, planned, admitted].every((stage) => stage === (received as object))).toBe(true);
  expect(admitted).toMatchObject({ caller, text, understanding: { model: 'm' }, model, plan: [target] });
  expect(admitted.settlement).toBeDefined();
});

test('stages in a wrong order do not compile', () => {
  const received = {} as Received;
  const identified = {} as Identified;
  const inWrongOrder = (): unknown[] => [
    // @ts-expect-error The caller is not known yet.
    understand(received, text, DEFAULT_JSON_BOUNDS, sealingFor(['a-key-to-sign-seals-with'])),
    // @ts-expect-error The body is not read yet.
    resolve(identified, {} as PlanPorts),
    // @ts-expect-error There is no plan yet.
    admit(identified, {} as Place, {} as AdmitPorts, undefined),
  ];
  expect(inWrongOrder).toBeTypeOf('function');
});
