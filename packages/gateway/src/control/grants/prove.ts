/** Whether the identity provider still knows the person of a grant, and what that means for the member. */
import type { Db } from '../../store/postgres/store.ts';
import { noteProof } from '../accounts/member-rows.ts';
import { newId } from '../api/ids.ts';
import { applyGroups } from '../sessions/identity-rows.ts';
import { type ClaimedGrant, grantIdentity, type ProvenNow } from './grant-rows.ts';
import type { GrantPorts } from './ports.ts';

/** `over`: the grant ends. Without `proven`, nothing new is known. */
type Settled =
  | { readonly is: 'over'; readonly why: string }
  | { readonly is: 'alive'; readonly proven: ProvenNow | undefined };

/** `unknown`: the provider does not answer. `unconfigured`: it is no longer trusted, and nothing is prolonged. `settle` writes what it said, in a transaction of the operator. */
type Asked = { readonly is: 'known' | 'unknown' | 'unconfigured'; readonly settle: (db: Db) => Promise<Settled> };

const alive = (proven?: ProvenNow): Settled => ({ is: 'alive', proven });

/** Only the provider's own word ends a grant: being away, or misconfigured, does not. */
export async function proveGrant(
  grant: ClaimedGrant,
  { identity, vault, log }: Pick<GrantPorts, 'identity' | 'vault' | 'log'>,
): Promise<Asked> {
  const { sealed, issuer, subject } = grant;
  // It lasts as long as it may without a proof.
  if (sealed === undefined) return { is: 'known', settle: async () => alive() };
  try {
    const keys = vault();
    if (keys === undefined) throw new Error('secrets.keys is not configured');
    const sealedFor = grantIdentity(grant.id);
    const proof = await identity.prove(issuer, keys.open(sealedFor, sealed), subject);
    if (proof === undefined) return { is: 'unconfigured', settle: async () => alive() };
    if (proof.kind === 'gone')
      return { is: 'known', settle: async () => ({ is: 'over', why: 'the identity provider ended the sign-in' }) };
    const kept = { sealed: keys.seal(sealedFor, proof.refreshToken) };
    const { person } = proof;
    return {
      is: 'known',
      settle: async (db) => {
        if (person === undefined) {
          await noteProof(db, grant.accountId, grant.memberId);
          return alive(kept);
        }
        const { membership } = person;
        if (membership === 'unreadable') return { is: 'over', why: 'the groups of the person cannot be read' };
        if (membership?.account !== grant.accountId)
          return { is: 'over', why: 'the groups of the person no longer give access to the account' };
        const found = await applyGroups(db, person, membership, () => newId('mem'));
        if ('refused' in found || found.memberId !== grant.memberId)
          return { is: 'over', why: 'the person is no longer a member of the account' };
        return alive({ ...kept, person });
      },
    };
  } catch (error) {
    log.warn('a signed-in person could not be proven at the identity provider', { issuer, keyId: grant.id, error });
    return { is: 'unknown', settle: async () => alive() };
  }
}
